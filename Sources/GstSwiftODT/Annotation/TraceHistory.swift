import SwiftODT

/// Remembers the ways that objects came.
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

    /// Takes the objects of a frame down, and forgets what is older than a trace lasts.
    ///
    /// - Parameter spacing: points nearer than this to the one before replace it, so that an object that rests, or
    ///   creeps, does not fill the book.
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
            // One point beyond the end stays: the line fades out on the way to it.
            let old = trace.points.prefix { $0.time <= start }.count - 1
            if old > 0 { traces[id]?.points.removeFirst(old) }
        }
    }

    /// Whether there is a line to draw at that time.
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

    /// The last point is where the object is now; those before it stay where they are.
    fileprivate mutating func add(_ point: TraceHistory.Point, spacing: Double) {
        if points.count > 1 {
            let (dx, dy) = (point.x - points[points.count - 2].x, point.y - points[points.count - 2].y)
            if dx * dx + dy * dy < spacing * spacing { points.removeLast() }
        }
        points.append(point)
        if points.count > TraceHistory.Trace.maximumPoints { points.removeFirst() }
    }
}
