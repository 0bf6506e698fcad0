/// The frames since the detector's latest answer, with what was known then: an answer that comes late is applied to the
/// frame it saw. Bounded, whatever the rate of frames and the number of tracks; frames are recycled
/// in a ring, so that one that comes and goes costs nothing.
struct FrameHistory {
    /// A tracklet's filter at a frame, and how it got there from the frame before.
    struct PropagatedState: Sendable {
        var key: Int
        var filter: BoxKalmanFilter
        var lead: SIMD4<Double>
        var move: BoxMove?
    }

    struct Entry {
        var time: Nanoseconds = 0
        var plane: LumaPlane?
        /// How far the camera moved the background between the frame before and this one.
        var shift = SIMD2<Double>.zero
        /// In the order of the tracklets, which is that of their keys.
        var carried: ContiguousArray<PropagatedState> = []
        /// Whether that has been noted.
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
    /// The picture of the latest frame.
    var latestPlane: LumaPlane? { isEmpty ? nil : ring[place(count - 1)].plane }

    /// 0 is the oldest, `count - 1` the latest.
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

    /// Notes where the tracklets stand at an entry, and by which moves they came there.
    mutating func record(_ tracklets: ContiguousArray<Tracklet>, moves: ContiguousArray<BoxMove?>, at index: Int) {
        let place = place(index)
        ring[place].isRecorded = true
        ring[place].carried.removeAll(keepingCapacity: true)
        ring[place].carried.reserveCapacity(tracklets.count)
        for number in tracklets.indices {
            let move = number < moves.count ? moves[number] : nil
            // Field by field: a tracklet is large, and not copied for this.
            ring[place].carried.append(
                PropagatedState(
                    key: tracklets[number].key, filter: tracklets[number].filter, lead: tracklets[number].lead,
                    move: move))
        }
    }

    /// The same of the latest entry, if it has not been noted: after an answer that waits until a frame comes without one, as
    /// the next answer makes all that is before it forgotten.
    mutating func recordLatest(_ tracklets: ContiguousArray<Tracklet>) {
        if count > 0, !ring[place(count - 1)].isRecorded { record(tracklets, moves: [], at: count - 1) }
    }

    /// Notes that tracklets, the same as have been recorded, stand elsewhere.
    mutating func move(_ tracklets: ContiguousArray<Tracklet>, at index: Int) {
        let place = place(index)
        for number in tracklets.indices {
            ring[place].carried[number].filter = tracklets[number].filter
            ring[place].carried[number].lead = tracklets[number].lead
        }
    }

    /// The entry of the latest frame at or before `time`.
    func index(at time: Nanoseconds) -> Int? {
        var index = count - 1
        while index >= 0, self.time(index) > time { index -= 1 }
        return index >= 0 ? index : nil
    }

    /// From the frame of the latest answer, the oldest one kept, to `time`.
    func secondsSinceAnswer(at time: Nanoseconds) -> Double { isEmpty ? 0 : Double(time - self.time(0)) / 1e9 }

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
