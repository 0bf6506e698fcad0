import SwiftODT

/// The recent paths of tracked objects.
struct TraceHistory {
    struct Point {
        /// The centre of the box, in buffer pixels.
        var x: Double
        var y: Double
        var time: Nanoseconds
    }

    struct Trace {
        var points: [Point]
        var paint: Paint
    }

    private(set) var traces: [Int: Trace] = [:]
    private var latest: Nanoseconds = .min

    /// Records the objects of a frame and removes points older than the trace duration.
    ///
    /// - Parameter spacing: a point nearer than this to the one before replaces it, so that a slow object does not fill
    ///   the history.
    mutating func record(
        _ objects: [AnnotatedObject], options: AnnotatorOptions, colors: TrackColors = TrackColors(),
        time: Nanoseconds, spacing: Double
    ) {
        guard options.drawTraces, options.traceDuration > 0 else { return removeAll() }
        if time < latest { removeAll() }
        latest = time
        for object in objects where object.box.isFinite {
            guard let id = object.id else { continue }
            let point = Point(x: object.box.centerX, y: object.box.centerY, time: time)
            var trace = traces[id] ?? Trace(points: [], paint: .black)
            trace.paint = Palette.paint(for: object, options: options, colors: colors)
            trace.add(point, spacing: spacing)
            traces[id] = trace
        }
        let (start, overflow) = time.subtractingReportingOverflow(options.traceDuration)
        guard !overflow else { return }
        for (id, trace) in traces {
            guard let last = trace.points.last, last.time > start else {
                traces[id] = nil
                continue
            }
            // One older point is kept: the line fades out towards it.
            let old = trace.points.prefix { $0.time <= start }.count - 1
            if old > 0 { traces[id]?.points.removeFirst(old) }
        }
    }

    /// Returns whether a trace is visible at the given time.
    func isVisible(at time: Nanoseconds, duration: Nanoseconds) -> Bool {
        traces.values.contains { trace in
            guard trace.points.count > 1, let last = trace.points.last else { return false }
            return time >= last.time && time - last.time < duration
        }
    }

    mutating func removeAll() {
        traces.removeAll()
        latest = .min
    }
}

extension TraceHistory.Trace {
    private static let maximumPoints = 256

    /// The last point is the current position of the object; earlier points do not change.
    fileprivate mutating func add(_ point: TraceHistory.Point, spacing: Double) {
        if points.count > 1 {
            let (dx, dy) = (point.x - points[points.count - 2].x, point.y - points[points.count - 2].y)
            if dx * dx + dy * dy < spacing * spacing { points.removeLast() }
        }
        points.append(point)
        if points.count > TraceHistory.Trace.maximumPoints { points.removeFirst() }
    }
}
