/// A spatial index of the detections of one association stage.
///
/// Detections are sorted from left to right and tested in groups of eight. With few detections, all groups are tested.
/// With many detections, only a window along the x axis is tested. The cost thus grows with the number of objects and
/// their density, not with the square of the number. Memory is reused from result to result.
struct DetectionIndex: ~Copyable {
    private(set) var detections = ScratchList<FilteredDetection>()
    private var wide = ScratchList<ExpandedBox>()
    private var eights = ScratchList<Eight>()
    /// Whether ``wide`` and ``eights`` are up to date with ``detections``.
    private var isArranged = false
    private var widest = 0.0

    /// The boxes of a group of eight detections in single precision, widened by ``CandidatePairs/margin``.
    struct Eight {
        var minX = SIMD8<Float>(repeating: .infinity)
        var minY = SIMD8<Float>(repeating: .infinity)
        var maxX = SIMD8<Float>(repeating: -.infinity)
        var maxY = SIMD8<Float>(repeating: -.infinity)
    }

    /// A tolerance in pixels. It exceeds the rounding error of single precision for the coordinates that
    /// ``DetectionPreFilter`` accepts.
    fileprivate static let slack = 0.25
    /// The number of groups below which a test of all groups is cheaper than a search for the window.
    fileprivate static let few = 5

    var isEmpty: Bool { detections.isEmpty }

    mutating func removeAll() {
        detections.clear()
        widest = 0
        isArranged = false
    }

    /// Appends a detection. Detections must be appended in the order of their left edges.
    mutating func append(_ detection: FilteredDetection) {
        detections.append(detection)
        widest = max(widest, detection.box.width)
        isArranged = false
    }

    /// Removes the detections whose flag is set. The flags are indexed by ``FilteredDetection/source``.
    mutating func drop(where isTaken: UnsafeBufferPointer<Bool>) {
        detections.keep { !isTaken[$0.source] }
        widest = detections.view.reduce(0) { max($0, $1.box.width) }
        isArranged = false
    }

    /// Returns a view for queries. It is valid until the index changes.
    mutating func view() -> View {
        if !isArranged { arrange() }
        return View(detections: detections.view, wide: wide.view, eights: eights.view, widest: widest)
    }

    /// Computes ``wide`` and ``eights`` from ``detections``.
    private mutating func arrange() {
        wide.clear()
        eights.reset(to: Eight(), count: (detections.count + 7) / 8)
        // Writes through memory, because it is slow to set a vector lane at a variable index.
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

    /// A read-only view of the index.
    struct View {
        fileprivate let detections: UnsafeBufferPointer<FilteredDetection>
        /// The boxes of the detections, widened by ``CandidatePairs/margin``.
        let wide: UnsafeBufferPointer<ExpandedBox>
        fileprivate let eights: UnsafeBufferPointer<Eight>
        fileprivate let widest: Double

        /// Calls `body` with the index of each detection that may overlap a box, from left to right. Some of these
        /// detections may not overlap the box.
        @inline(__always)
        func forEach(near place: ExpandedBox, _ body: (Int) -> Void) {
            let (minX, minY) = (SIMD8(repeating: Float(place.low.x)), SIMD8(repeating: Float(place.low.y)))
            let (maxX, maxY) = (SIMD8(repeating: Float(place.high.x)), SIMD8(repeating: Float(place.high.y)))
            for number in window(of: place) {
                let eight = eights[number]
                let isNear =
                    (eight.minX .< maxX) .& (minX .< eight.maxX) .& (eight.minY .< maxY) .& (minY .< eight.maxY)
                // Uses one byte for each detection. Bit operations can then enumerate the matches.
                let bytes = SIMD8<UInt8>(
                    truncatingIfNeeded: SIMD8<Int32>.zero.replacing(with: SIMD8(repeating: 1), where: isNear))
                var near = unsafeBitCast(bytes, to: UInt64.self)
                while near != 0 {
                    body(number * 8 + near.trailingZeroBitCount / 8)
                    near &= near - 1
                }
            }
        }

        /// Returns the range of groups that may overlap a box along the x axis.
        @inline(__always)
        private func window(of place: ExpandedBox) -> Range<Int> {
            if eights.count < DetectionIndex.few { return 0..<eights.count }
            let reach = widest * CandidatePairs.margin + DetectionIndex.slack
            let start = max(0, count(leftOf: place.low.x - widest - reach) - 1)
            return start..<max(start, count(leftOf: place.high.x + reach))
        }

        /// Returns the number of groups whose first detection has its left edge left of `edge`.
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
