/// The frames since the detector's latest answer, with what was known then: an answer that comes late is applied to the
/// frame it saw. Bounded, whatever the rate of frames and the number of tracks; frames are recycled.
struct FrameHistory {
    /// A tracklet's filter at a frame, and how it got there from the frame before.
    struct Carried: Sendable {
        var key: Int
        var filter: BoxFilter
        var move: BoxMove?
    }

    struct Entry {
        var time: Nanoseconds = 0
        var plane: LumaPlane?
        /// How far the camera moved the background between the frame before and this one.
        var shift = SIMD2<Double>.zero
        /// In the order of the tracklets, which is that of their keys.
        var carried: ContiguousArray<Carried> = []

        func carried(_ key: Int) -> Carried? {
            var (low, high) = (0, carried.count)
            while low < high {
                let middle = (low + high) / 2
                if carried[middle].key < key { low = middle + 1 } else { high = middle }
            }
            return low < carried.count && carried[low].key == key ? carried[low] : nil
        }
    }

    private(set) var entries: ContiguousArray<Entry> = []
    private var spare: ContiguousArray<Entry> = []

    var isEmpty: Bool { entries.isEmpty }
    /// The picture of the latest frame.
    var latestPlane: LumaPlane? { entries.isEmpty ? nil : entries[entries.count - 1].plane }

    mutating func append(time: Nanoseconds, plane: LumaPlane?, shift: SIMD2<Double>) {
        let tracks = max(1, isEmpty ? 1 : entries[entries.count - 1].carried.count)
        if entries.count >= max(8, min(150, 20_000 / tracks)) { drop(first: 1) }
        var entry = spare.popLast() ?? Entry()
        entry.time = time
        entry.plane = plane
        entry.shift = shift
        entries.append(entry)
    }

    /// Notes where the tracklets stand at an entry, keeping the moves that are known.
    mutating func record(_ tracklets: ContiguousArray<Tracklet>, moves: ContiguousArray<BoxMove?>?, at index: Int) {
        entries[index].carried.removeAll(keepingCapacity: true)
        entries[index].carried.reserveCapacity(tracklets.count)
        for number in tracklets.indices {
            let move = moves.flatMap { number < $0.count ? $0[number] : nil }
            // Field by field: a tracklet is large, and not copied for this.
            entries[index].carried.append(
                Carried(key: tracklets[number].key, filter: tracklets[number].filter, move: move))
        }
    }

    /// Notes that tracklets, the same as have been recorded, stand elsewhere.
    mutating func move(_ tracklets: ContiguousArray<Tracklet>, at index: Int) {
        for (number, tracklet) in tracklets.enumerated() { entries[index].carried[number].filter = tracklet.filter }
    }

    /// The entry of the latest frame at or before `time`.
    func index(at time: Nanoseconds) -> Int? {
        entries.indices.last { entries[$0].time <= time }
    }

    /// From the frame of the latest answer, the oldest one kept, to `time`.
    func secondsSinceAnswer(at time: Nanoseconds) -> Double { isEmpty ? 0 : Double(time - entries[0].time) / 1e9 }

    mutating func drop(first count: Int) {
        for index in 0..<count {
            var entry = entries[index]
            entry.plane = nil
            entry.carried.removeAll(keepingCapacity: true)
            if spare.count < 8 { spare.append(entry) }
        }
        entries.removeFirst(count)
    }

    mutating func removeAll() { drop(first: entries.count) }
}
