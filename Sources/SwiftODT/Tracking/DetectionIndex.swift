/// The detections of one kind that tracks may be paired with, ready to be asked which of them come near a place.
///
/// They stand from left to right, and eight are looked at in one go: a few are all asked, of many those in a window along
/// the x axis, so that the cost grows with the number of objects and their crowding, not with its square. Memory is kept
/// from frame to frame.
struct DetectionIndex: ~Copyable {
    private(set) var detections = ScratchList<FilteredDetection>()
    private var wide = ScratchList<ExpandedBox>()
    private var eights = ScratchList<Eight>()
    /// Whether ``wide`` and ``eights`` are those of ``detections``: nobody may ask.
    private var isArranged = false
    private var widest = 0.0

    /// What eight of them may touch: their boxes, widened by the margin of ``CandidatePairs``, in single precision.
    fileprivate struct Eight {
        var minX = SIMD8<Float>(repeating: .infinity)
        var minY = SIMD8<Float>(repeating: .infinity)
        var maxX = SIMD8<Float>(repeating: -.infinity)
        var maxY = SIMD8<Float>(repeating: -.infinity)
    }

    /// Pixels, more than single precision is wrong by where the sieve lets boxes be.
    fileprivate static let slack = 0.25
    /// To ask fewer eights than this all is cheaper than to find out which.
    fileprivate static let few = 5

    var isEmpty: Bool { detections.isEmpty }

    mutating func removeAll() {
        detections.clear()
        widest = 0
        isArranged = false
    }

    /// Adds one that does not begin further left than those before.
    mutating func append(_ detection: FilteredDetection) {
        detections.append(detection)
        widest = max(widest, detection.box.width)
        isArranged = false
    }

    /// Takes those away that have found their track.
    mutating func drop(where isTaken: UnsafeBufferPointer<Bool>) {
        detections.keep { !isTaken[$0.source] }
        widest = detections.view.reduce(0) { max($0, $1.box.width) }
        isArranged = false
    }

    /// All of them, to be asked before they change.
    mutating func view() -> View {
        if !isArranged { arrange() }
        return View(detections: detections.view, wide: wide.view, eights: eights.view, widest: widest)
    }

    /// Writes down, one by one and eight by eight, what they may touch.
    private mutating func arrange() {
        wide.clear()
        eights.reset(to: Eight(), count: (detections.count + 7) / 8)
        // Written to memory: a lane that is known only now is dear to set otherwise.
        eights.withUnsafeMutableBytes { bytes in
            for place in detections.indices {
                let box = ExpandedBox(detections[place].box, by: CandidatePairs.margin)
                wide.append(box)
                let start = place / 8 * MemoryLayout<Eight>.stride + place % 8 * MemoryLayout<Float>.stride
                bytes.storeBytes(of: Float(box.low.x - Self.slack), toByteOffset: start, as: Float.self)
                bytes.storeBytes(of: Float(box.low.y - Self.slack), toByteOffset: start + 32, as: Float.self)
                bytes.storeBytes(of: Float(box.high.x + Self.slack), toByteOffset: start + 64, as: Float.self)
                bytes.storeBytes(of: Float(box.high.y + Self.slack), toByteOffset: start + 96, as: Float.self)
            }
        }
        isArranged = true
    }

    struct View {
        fileprivate let detections: UnsafeBufferPointer<FilteredDetection>
        /// Their boxes with the margin of ``CandidatePairs``.
        let wide: UnsafeBufferPointer<ExpandedBox>
        fileprivate let eights: UnsafeBufferPointer<Eight>
        fileprivate let widest: Double

        /// Calls `body` with all that may touch a box, and few others, from left to right.
        @inline(__always)
        func forEach(near place: ExpandedBox, _ body: (Int) -> Void) {
            let (minX, minY) = (SIMD8(repeating: Float(place.low.x)), SIMD8(repeating: Float(place.low.y)))
            let (maxX, maxY) = (SIMD8(repeating: Float(place.high.x)), SIMD8(repeating: Float(place.high.y)))
            for number in window(of: place) {
                let eight = eights[number]
                let isNear =
                    (eight.minX .< maxX) .& (minX .< eight.maxX) .& (eight.minY .< maxY) .& (minY .< eight.maxY)
                // A byte for each, so that what is near can be counted off.
                let bytes = SIMD8<UInt8>(
                    truncatingIfNeeded: SIMD8<Int32>.zero.replacing(with: SIMD8(repeating: 1), where: isNear))
                var near = unsafeBitCast(bytes, to: UInt64.self)
                while near != 0 {
                    body(number * 8 + near.trailingZeroBitCount / 8)
                    near &= near - 1
                }
            }
        }

        /// The eights that have one near a box along the x axis.
        @inline(__always)
        private func window(of place: ExpandedBox) -> Range<Int> {
            if eights.count < DetectionIndex.few { return 0..<eights.count }
            let reach = widest * CandidatePairs.margin + DetectionIndex.slack
            let start = max(0, count(leftOf: place.low.x - widest - reach) - 1)
            return start..<max(start, count(leftOf: place.high.x + reach))
        }

        /// How many eights begin left of an edge.
        private func count(leftOf edge: Double) -> Int {
            var (low, high) = (0, eights.count)
            while low < high {
                let middle = (low + high) / 2
                if detections[middle * 8].box.x < edge { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}
