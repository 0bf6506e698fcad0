import SwiftODT

/// Chooses the colour of each track when the track is first drawn. A track gets the colour of its ID, see
/// ``Palette/distinct(_:)``. If this colour is too similar to the colour of another visible track, the track gets a
/// later colour of the sequence. Tracks near each other must differ more than others. A track keeps its colour until it
/// ends.
struct TrackColors {
    private struct Entry {
        let paint: Paint
        /// The coordinates of the colour in OKLab.
        let lab: SIMD3<Double>
        var box: Box
        var time: Nanoseconds
    }

    /// The minimum distance in OKLab between the colours of tracks near each other. Colours with a distance of 0.06 can
    /// be distinguished if they are side by side. Colours with a distance of 0.16 can be distinguished at a glance.
    private static let minimumNearbyDistance = 0.16
    /// The minimum distance in OKLab between the colours of other visible tracks.
    private static let minimumDistance = 0.06
    /// How long a track counts as visible after it was last drawn, in nanoseconds. The track may be drawn again, so new
    /// tracks must not get a similar colour during this time.
    private static let visibilityTime: Nanoseconds = 1_000_000_000
    /// The number of colours of the sequence that are tried.
    private static let candidates = 24
    /// The maximum number of entries. When it is reached, the older half is removed, because most of these entries
    /// belong to tracks that have ended.
    private static let maximumEntries = 1024

    private var entries: [Int: Entry] = [:]

    func paint(of id: Int) -> Paint? { entries[id]?.paint }

    /// Updates the positions of tracks and chooses colours for new tracks. The cost is linear in the number of objects,
    /// plus the cost of new tracks.
    mutating func assign(_ objects: [AnnotatedObject], at time: Nanoseconds) {
        for object in objects {
            guard let id = object.id else { continue }
            entries[id]?.box = object.box
            entries[id]?.time = time
        }
        for object in objects {
            guard let id = object.id, entries[id] == nil else { continue }
            if entries.count >= Self.maximumEntries { forgetOldest() }
            let color = choose(id, at: object.box, time)
            entries[id] = Entry(paint: color.paint, lab: color.lab, box: object.box, time: time)
        }
    }

    private func choose(_ id: Int, at box: Box, _ time: Nanoseconds) -> (paint: Paint, lab: SIMD3<Double>) {
        let visible = entries.values.filter { entry in
            let (age, overflow) = time.subtractingReportingOverflow(entry.time)
            return !overflow && (0...Self.visibilityTime).contains(age)
        }
        var best = Palette.color(id)
        var bestContrast = -Double.infinity
        for number in 0..<Self.candidates {
            let candidate = Palette.color(id &+ number)
            let contrast = visible.reduce(Double.infinity) { least, other in
                let difference = candidate.lab - other.lab
                let distance = (difference * difference).sum().squareRoot()
                return min(
                    least, distance / (other.box.isNear(box) ? Self.minimumNearbyDistance : Self.minimumDistance))
            }
            if contrast >= 1 { return candidate }
            if contrast > bestContrast { (best, bestContrast) = (candidate, contrast) }
        }
        return best
    }

    private mutating func forgetOldest() {
        let times = entries.values.map(\.time).sorted()
        let middle = times[times.count / 2]
        entries = entries.filter { $0.value.time > middle }
    }
}

extension Box {
    /// Returns whether two boxes are near each other. They are if neither the horizontal nor the vertical gap between
    /// them is as long as the longest side of the two boxes.
    fileprivate func isNear(_ other: Box) -> Bool {
        let reach = max(max(width, height), max(other.width, other.height))
        return minX - other.maxX < reach && other.minX - maxX < reach && minY - other.maxY < reach
            && other.minY - maxY < reach
    }
}
