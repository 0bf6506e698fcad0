/// The frames since the latest result, with the states of all tracks in each. With this history, a late result can be
/// applied to its own frame. After a result, its frame is the oldest entry.
///
/// The number of entries is bounded for any frame rate and number of tracks. Entries are recycled in a ring buffer, so
/// adding and dropping an entry allocates nothing.
struct FrameHistory {
    /// The state of a tracklet in one frame, and its measured motion since the previous frame (`nil` without image
    /// motion).
    struct PropagatedState: Sendable {
        var key: Int
        var filter: BoxKalmanFilter
        var lead: SIMD4<Double>
        var move: BoxMove?
    }

    struct Entry {
        var time: Nanoseconds = 0
        var plane: LumaPlane?
        /// The camera motion between the previous frame and this one, see ``BoxPropagator/shift``.
        var shift = SIMD2<Double>.zero
        /// The states of the tracklets, sorted by key. This is also the order of the tracklets.
        var carried: ContiguousArray<PropagatedState> = []
        fileprivate(set) var isRecorded = false

        func carried(_ key: Int) -> PropagatedState? {
            var (low, high) = (0, carried.count)
            while low < high {
                let middle = (low + high) / 2
                if carried[middle].key < key { low = middle + 1 } else { high = middle }
            }
            return low < carried.count && carried[low].key == key ? carried[low] : nil
        }
    }

    private var ring: ContiguousArray<Entry> = []
    private var oldest = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var latestPlane: LumaPlane? { isEmpty ? nil : ring[place(count - 1)].plane }

    /// Returns an entry. Index 0 is the oldest entry, `count - 1` the latest.
    subscript(index: Int) -> Entry { ring[place(index)] }

    func time(_ index: Int) -> Nanoseconds { ring[place(index)].time }

    private func place(_ index: Int) -> Int {
        let place = oldest + index
        return place < ring.count ? place : place - ring.count
    }

    mutating func append(time: Nanoseconds, plane: LumaPlane?, shift: SIMD2<Double>) {
        let tracks = max(1, isEmpty ? 1 : ring[place(count - 1)].carried.count)
        if count >= max(8, min(150, 20_000 / tracks)) { drop(first: 1) }
        if count == ring.count {
            ring.insert(Entry(), at: oldest)
            if count > 0 { oldest += 1 }
        }
        count += 1
        let place = place(count - 1)
        ring[place].time = time
        ring[place].plane = plane
        ring[place].shift = shift
    }

    mutating func record(_ tracklets: ContiguousArray<Tracklet>, moves: ContiguousArray<BoxMove?>, at index: Int) {
        let place = place(index)
        ring[place].isRecorded = true
        ring[place].carried.removeAll(keepingCapacity: true)
        ring[place].carried.reserveCapacity(tracklets.count)
        for number in tracklets.indices {
            let move = number < moves.count ? moves[number] : nil
            // Copies single fields, because a tracklet is large.
            ring[place].carried.append(
                PropagatedState(
                    key: tracklets[number].key, filter: tracklets[number].filter, lead: tracklets[number].lead,
                    move: move))
        }
    }

    /// Records the states in the latest frame if they have not been recorded yet. The states in the frame of a result
    /// are recorded only if the next frame has no result. If the next frame has a result, too, the earlier frame is
    /// dropped from the history, so its states are not needed.
    mutating func recordLatest(_ tracklets: ContiguousArray<Tracklet>) {
        if count > 0, !ring[place(count - 1)].isRecorded { record(tracklets, moves: [], at: count - 1) }
    }

    /// Updates the recorded states of a frame. The argument must contain the recorded tracklets in the same order.
    mutating func move(_ tracklets: ContiguousArray<Tracklet>, at index: Int) {
        let place = place(index)
        for number in tracklets.indices {
            ring[place].carried[number].filter = tracklets[number].filter
            ring[place].carried[number].lead = tracklets[number].lead
        }
    }

    /// Returns the index of the latest entry at or before `time`.
    func index(at time: Nanoseconds) -> Int? {
        var index = count - 1
        while index >= 0, self.time(index) > time { index -= 1 }
        return index >= 0 ? index : nil
    }

    /// Returns the time in seconds from the oldest entry to `time`. After a result, the oldest entry is the frame of
    /// that result.
    func secondsSinceResult(at time: Nanoseconds) -> Double { isEmpty ? 0 : Double(time - self.time(0)) / 1e9 }

    mutating func drop(first dropped: Int) {
        for index in 0..<dropped {
            let place = place(index)
            ring[place].plane = nil
            ring[place].carried.removeAll(keepingCapacity: true)
            ring[place].isRecorded = false
        }
        oldest = place(dropped)
        count -= dropped
    }

    mutating func removeAll() { drop(first: count) }
}
