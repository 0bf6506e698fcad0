/// The frames since the latest result, with the states of all tracks in each. With this history, a late result can be
/// applied to its own frame. After a result, its frame is the oldest entry. The number of entries is bounded.
struct FrameHistory {
    struct PropagatedState: Sendable {
        var key: Int
        var filter: BoxKalmanFilter
        var lead: SIMD4<Double>
        /// The measured motion since the previous frame. Not valid in the oldest entry.
        var move: BoxMove?
    }

    struct Entry {
        let time: Nanoseconds
        let plane: LumaPlane?
        /// The camera motion between the previous frame and this one, see ``BoxPropagator/shift``.
        let shift: SIMD2<Double>
        /// The states of the tracklets, sorted by key. This is also the order of the tracklets.
        fileprivate(set) var carried: ContiguousArray<PropagatedState>
        fileprivate var isRecorded = false

        func carried(_ key: Int) -> PropagatedState? {
            let index = carried.indices.partitionPoint { carried[$0].key < key }
            return index < carried.count && carried[index].key == key ? carried[index] : nil
        }
    }

    /// The oldest entry comes first.
    private(set) var entries: ContiguousArray<Entry> = []
    /// The emptied lists of dropped entries. Their reuse avoids an allocation per frame.
    private var spare: ContiguousArray<ContiguousArray<PropagatedState>> = []

    mutating func append(time: Nanoseconds, plane: LumaPlane?, shift: SIMD2<Double>) {
        let tracks = max(1, entries.last?.carried.count ?? 1)
        if entries.count >= max(8, min(150, 20_000 / tracks)) { drop(first: 1) }
        entries.append(Entry(time: time, plane: plane, shift: shift, carried: spare.popLast() ?? []))
    }

    mutating func record(_ tracklets: ContiguousArray<Tracklet>, at index: Int) {
        entries[index].isRecorded = true
        entries[index].carried.removeAll(keepingCapacity: true)
        entries[index].carried.reserveCapacity(tracklets.count)
        for number in tracklets.indices {
            // Copies single fields, because a tracklet is large.
            entries[index].carried.append(
                PropagatedState(
                    key: tracklets[number].key, filter: tracklets[number].filter, lead: tracklets[number].lead,
                    move: tracklets[number].move))
        }
    }

    /// Records the states in the latest frame if they have not been recorded yet. If a frame with a result is
    /// followed by another one, it is dropped, so its states are recorded only when a frame without a result follows.
    mutating func recordLatest(_ tracklets: ContiguousArray<Tracklet>) {
        if let last = entries.indices.last, !entries[last].isRecorded { record(tracklets, at: last) }
    }

    mutating func drop(first dropped: Int) {
        for index in 0..<dropped {
            entries[index].carried.removeAll(keepingCapacity: true)
            spare.append(entries[index].carried)
        }
        entries.removeFirst(dropped)
    }
}
