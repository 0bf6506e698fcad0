import Glibc

/// Selects the most prominent objects of a frame.
///
/// The prominence of an object is `0.4 * score + 0.3 * side + 0.3 * centrality`. `side` is the square root of the
/// fraction of the picture that its box covers. `centrality` is 1 in the middle of the picture and 0 in a corner.
///
/// Two measures keep the selection stable. The prominence of each track is smoothed with a time constant of 0.5 s. The
/// prominence of objects of the previous selection is multiplied by a weight of 1.2. The first object is replaced only
/// by an object with more than 1.44 (1.2²) times the prominence of the first object. Coasting objects get no weight,
/// and smoothing does not raise their prominence. A visible object with a higher prominence thus replaces a coasting
/// object immediately.
struct Prominence {
    private static let smoothing = 0.5
    private static let hysteresis = 1.2

    private struct RankState {
        var prominence: Double
        var time: Nanoseconds
        /// The rank in the previous selection, from 0. `nil` if the track was not selected.
        var rank: Int?
    }

    private typealias Ranked = (track: Track, figure: Double, weight: Double)

    private var positions: [Int: RankState] = [:]
    /// The tracks that the latest selection excluded because of its limit.
    private var excluded: ArraySlice<Ranked> = []

    var leftOut: [Track] { excluded.map(\.track) }

    /// Returns at most `limit` tracks, the most prominent first.
    ///
    /// Tracks without a visible pixel are excluded; propagated boxes can be beyond the picture's edge. Lost tracks of
    /// the previous selection are appended even beyond the limit, because their end must be reported.
    ///
    /// Without `reportsCoasting`, coasting tracks are not selected, but they keep their rank until their next detection.
    mutating func choose(
        _ tracks: [Track], limit: Int, reportsCoasting: Bool, width: Int, height: Int, time: Nanoseconds
    ) -> [Track] {
        var ranked: [Ranked] = []
        var lost: [Track] = []
        for track in tracks {
            let standing = track.id.flatMap { positions[$0] }
            if track.state == .lost {
                if standing?.rank != nil { lost.append(track) }
                continue
            }
            let box = track.box.clipped(width: width, height: height)
            guard box.width >= 1, box.height >= 1 else { continue }
            let current = Self.figure(
                box, score: track.decayedScore ?? track.score, width: width, height: height)
            var smooth = current
            if let standing {
                let elapsed = max(0, Double(time - standing.time) / 1e9)
                smooth += (standing.prominence - current) * exp(-elapsed / Self.smoothing)
            }
            if track.state == .coasting { smooth = min(smooth, current) }
            if let id = track.id {
                positions[id] = RankState(prominence: smooth, time: time, rank: standing?.rank)
            }
            if track.state == .coasting, !reportsCoasting { continue }
            let hysteresis =
                switch standing?.rank {
                case _ where track.state == .coasting: 1.0
                case 0: Self.hysteresis * Self.hysteresis
                case .some: Self.hysteresis
                case nil: 1.0
                }
            ranked.append((track, smooth, smooth * hysteresis))
        }
        ranked.sort { $0.weight > $1.weight || ($0.weight == $1.weight && ($0.track.id ?? 0) < ($1.track.id ?? 0)) }
        excluded = ranked.dropFirst(max(0, limit))
        let chosen = keepingFirst(ranked.prefix(max(0, limit))).map(\.track)
        remember(chosen, among: tracks, reportsCoasting: reportsCoasting)
        return chosen + lost
    }

    /// Transfers the smoothed prominence and the rank of a track to the id that replaces its id.
    mutating func rename(_ id: Int, to other: Int) {
        if let position = positions.removeValue(forKey: id) { positions[other] = position }
    }

    mutating func reset() {
        positions.removeAll()
        excluded = []
    }

    /// Moves the first object of the previous selection back to the first place, unless an object ahead of it has a
    /// clearly higher prominence. It is clearly higher if, even without a weight, it exceeds the weighted prominence of
    /// the first object.
    private func keepingFirst(_ ranked: ArraySlice<Ranked>) -> ArraySlice<Ranked> {
        guard let place = ranked.firstIndex(where: { $0.track.id.flatMap { positions[$0]?.rank } == 0 }), place > 0,
            ranked[..<place].allSatisfy({ $0.figure <= ranked[place].weight })
        else { return ranked }
        return ranked[place...place] + ranked[..<place] + ranked[(place + 1)...]
    }

    private mutating func remember(_ chosen: [Track], among tracks: [Track], reportsCoasting: Bool) {
        let alive = Set(tracks.lazy.filter { $0.state != .lost }.compactMap(\.id))
        positions = positions.filter { alive.contains($0.key) }
        for track in tracks where reportsCoasting || track.state != .coasting {
            if let id = track.id { positions[id]?.rank = nil }
        }
        for (rank, track) in chosen.enumerated() {
            if let id = track.id { positions[id]?.rank = rank }
        }
    }

    private static func figure(_ box: Box, score: Double, width: Int, height: Int) -> Double {
        let (w, h) = (Double(width), Double(height))
        let side = (box.area / (w * h)).squareRoot()
        let dx = (box.centerX - w / 2) / (w / 2)
        let dy = (box.centerY - h / 2) / (h / 2)
        let centrality = max(0, 1 - ((dx * dx + dy * dy) / 2).squareRoot())
        return 0.4 * score + 0.3 * side + 0.3 * centrality
    }
}
