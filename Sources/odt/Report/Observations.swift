import SwiftODT

/// Aggregates the messages of a file or database. Memory use is proportional to the number of tracks, not to the number
/// of messages.
struct Observations {
    /// The maximum number of tracks on the page. If there are more, the shortest tracks are only counted.
    static let maximumTracks = 20_000
    /// Whether all tracks are kept until ``limitTracks()``, for a table.
    private let keepsAllTracks: Bool
    /// The maximum number of distinct labels, and the maximum number of labels with their own heat map. The page cannot
    /// show more, so additional labels are merged.
    static let (maximumLabels, maximumMaps) = (1_000, 24)
    /// The maximum number of zone events that are kept individually: as many as the page can show, or all for a table.
    /// Additional events are only counted.
    private let maximumEventMarks: Int
    /// The maximum length of a label, source or zone name in characters. Longer names are truncated.
    private static let longestName = 120
    /// The maximum length of ``models``.
    private static let maximumModels = 8
    /// If the next result is late, the boxes of a result are considered valid for at most this time, in seconds.
    private static let longestHold = 1.0

    private(set) var resultCount = 0
    private(set) var eventCount = 0
    /// The size of the upright frame in pixels, from the first result. Zero before the first result.
    private(set) var size = (width: 0, height: 0)
    private(set) var labels: [String] = []
    private(set) var sources: [String] = []
    /// The networks that detected the objects, with their checksums, in the order of their first result.
    private(set) var models: [String] = []
    /// The number of the tracks that were dropped because of ``maximumTracks``, and the sum of their durations in seconds,
    /// by index of the label.
    private(set) var forgotten: [Int: (count: Int, stay: Double)] = [:]
    private(set) var zones: [ObservedZone] = []
    /// The heat maps by index of the label. The key -1 holds the common map of all labels without their own map.
    private(set) var heat: [Int: HeatMap] = [:]
    /// How many objects without tracking ids were visible at each time, by index of the label. The key -1 has the same
    /// meaning as in ``heat``.
    private(set) var untracked = CountSeries()
    /// The object-seconds of all objects without tracking ids, by index of the label.
    private(set) var untrackedTime: [Int: Double] = [:]
    private(set) var maximumUntracked = 0
    /// The earliest and the latest time on the report's time axis, in seconds.
    private(set) var span: ClosedRange<Double>?
    /// The Unix time in seconds at the zero of the report's time axis; `nil` if no stream was live.
    private(set) var utc: Double?

    private var byKey: [ObservedTrack.Key: ObservedTrack] = [:]
    private var clocks: [RecordingClock] = []
    private var held: [LatestResult?] = []
    /// The format of the latest result of each source.
    private var formats: [FrameFormat?] = []
    private var labelIndex: [String: Int] = [:]
    private var sourceIndex: [String: Int] = [:]
    private var zoneIndex: [ZoneKey: Int] = [:]
    private var eventMarks = 0

    /// The latest result of a source. It is valid until the source's next result.
    private struct LatestResult {
        let time: Double
        let duration: Double?
        var boxes: [(label: Int, box: Box)] = []
        var untracked: [Int: Int] = [:]
    }

    /// Zones of different sources can have the same name.
    private struct ZoneKey: Hashable {
        let source: Int
        let name: String
        let isLine: Bool
    }

    /// The size of the frames of a source in pixels, and the transformation that turns them upright.
    private struct FrameFormat {
        let width: Double
        let height: Double
        let orientation: Orientation
        let orientationOfVideo: Orientation?

        /// Returns `nil` if the message has no valid size.
        init?(_ message: ParsedMessage) {
            guard let width = message.number("width"), let height = message.number("height"),
                (1...1e6).contains(width), (1...1e6).contains(height)
            else { return nil }
            (self.width, self.height, orientation) = (width, height, message.orientation)
            orientationOfVideo = message.orientationOfVideo
        }
    }

    init(keepsAllTracks: Bool = false, keepsAllEvents: Bool = false) {
        self.keepsAllTracks = keepsAllTracks
        maximumEventMarks = keepsAllEvents ? .max : 100_000
    }

    var isEmpty: Bool { resultCount + eventCount == 0 }
    var trackCount: Int { byKey.count + forgotten.values.reduce(0) { $0 + $1.count } }

    /// Whether all messages belong to one recording of one source.
    var hasOneRecording: Bool { clocks.count == 1 && clocks[0].recordingCount == 1 }

    /// Returns the indices of the source and the recording that a video shows: of several, the only recording of the
    /// source with the name of the video. Returns `nil` if this is unknown.
    func place(ofVideo name: String) -> (source: Int, recording: Int)? {
        if hasOneRecording { return (0, 0) }
        guard let source = sourceIndex[name], clocks[source].recordingCount == 1 else { return nil }
        return (source, 0)
    }

    /// See ``ParsedMessage/orientationOfVideo``.
    func orientationOfVideo(of source: Int) -> Orientation? { formats[source]?.orientationOfVideo }

    /// The stream time of the middle of the video, in seconds.
    var middleOfVideo: Double {
        guard let span, let clock = clocks.first else { return 0 }
        return (span.lowerBound + span.upperBound) / 2 - clock.offset + clock.streamOffset
    }

    /// Returns the id of the session (one connection to a camera) in a track's messages; `nil` if the messages have
    /// none.
    func recording(of track: ObservedTrack) -> Int64? { clocks[track.key.source].name(of: track.key.recording) }

    /// Returns the source and the recording of a camera's session; `nil` if no message belongs to it.
    func place(ofCamera name: String, session: Int64) -> (source: Int, recording: Int)? {
        guard let source = sourceIndex[name], let recording = clocks[source].recording(named: session) else {
            return nil
        }
        return (source, recording)
    }

    var tracks: [ObservedTrack] {
        byKey.values.sorted { ($0.first, $0.key.id, $0.key.source) < ($1.first, $1.key.id, $1.key.source) }
    }

    /// - Throws: ``ReportError``, without the line number, for an invalid message.
    mutating func add(_ message: ParsedMessage) throws {
        let name = message.text("source")
        if message.kind == .statistics {
            guard let source = sourceIndex[name] else { return }
            release(source, at: nil)
            return clocks[source].end()
        }
        let source = index(ofSource: name)
        let time = clocks[source].place(message, &utc)
        extend(to: time)
        switch message.kind {
        case .result: try addResult(message, of: source, at: time)
        case .track: addTrack(message, of: source)
        case .zone: addZone(message, of: source, at: time)
        case .statistics: break
        }
        if !keepsAllTracks, byKey.count > 4 * Self.maximumTracks { forget(before: time - 60) }
    }

    /// Completes the aggregation after the last message.
    mutating func finish() {
        for source in held.indices { release(source, at: nil) }
        // These objects continue with an earlier id.
        byKey = byKey.filter { $0.value.reason != TrackEvent.Reason.reidentified.rawValue }
    }

    /// Reduces the tracks to the ``maximumTracks`` longest ones, for the page.
    mutating func limitTracks() { forget(before: .infinity) }

    private mutating func addResult(_ message: ParsedMessage, of source: Int, at time: Double) throws {
        resultCount += 1
        release(source, at: time)
        if let format = FrameFormat(message) {
            formats[source] = format
            if size.width == 0 {
                let (width, height) = (Int(format.width), Int(format.height))
                size = format.orientation.swapsAxes ? (height, width) : (width, height)
            }
        }
        noteModel(of: message)
        var now = LatestResult(time: time, duration: message.seconds("duration"))
        for object in try message.list("objects") where object["state"]?.string != "lost" {
            try add(object, of: message, source, at: time, to: &now)
        }
        maximumUntracked = max(maximumUntracked, now.untracked.values.reduce(0, +))
        held[source] = now
        try addCounts(message, of: source)
    }

    private mutating func noteModel(of message: ParsedMessage) {
        let name = message.text("model")
        guard !name.isEmpty, models.count < Self.maximumModels else { return }
        let model = "\(name.prefix(Self.longestName)) (\(message.text("model-sum").prefix(Self.longestName)))"
        if !models.contains(model) { models.append(model) }
    }

    private mutating func add(
        _ object: JSONValue, of message: ParsedMessage, _ source: Int, at time: Double, to held: inout LatestResult
    ) throws {
        let name = object["label"]?.string ?? ""
        let label = index(ofLabel: name)
        let corners = ["x-min", "y-min", "x-max", "y-max"].compactMap { object[$0]?.number }
        let box =
            corners.count == 4
            ? message.orientation.upright(
                Box(minX: corners[0], minY: corners[1], maxX: corners[2], maxY: corners[3]), bufferWidth: 1,
                bufferHeight: 1)
            : nil
        if let box { held.boxes.append((label, box)) }
        guard let id = object["tracking-id"], id != .null else {
            held.untracked[label, default: 0] += 1
            return
        }
        guard let number = id.integer else { throw ReportError("an object has a tracking-id that is not an integer") }
        let clock = clocks[source]
        change(ObservedTrack.Key(source: source, recording: clock.recording, id: number), label, at: time) { track in
            if !name.isEmpty { track.label = label }
            if let category = object["category-index"]?.integer, category >= 0 { track.category = category }
            if let text = object["classifier-label"]?.string { track.classifierLabel = Self.shortened(text) }
            track.seen(
                from: object.seconds("first-seen").map { $0 + clock.offset } ?? min(time, track.last),
                to: object.seconds("last-seen").map { $0 + clock.offset } ?? time)
            guard let box, let score = object["score"]?.number, object["state"]?.string != "coasting" else { return }
            track.offer(.init(score: score, time: time, streamTime: time - clock.offset + clock.streamOffset, box: box))
        }
    }

    private mutating func addTrack(_ message: ParsedMessage, of source: Int) {
        eventCount += 1
        let name = message.text("label")
        let label = index(ofLabel: name)
        let clock = clocks[source]
        guard let id = message.number("tracking-id").flatMap(Int.init(exactly:)) else { return }
        let time = (message.time ?? 0) + clock.offset
        let isEnd = message.text("event") == "end"
        let best = best(of: message, source, clock)
        change(ObservedTrack.Key(source: source, recording: clock.recording, id: id), label, at: time) { track in
            if !name.isEmpty { track.label = label }
            let (first, last) = (message.seconds("first-seen"), message.seconds("last-seen"))
            if message.text("event") == "re-entered" { track.beginVisit() }
            if isEnd, let first, let last { track.end(from: first + clock.offset, to: last + clock.offset) }
            if let length = message.number("path-length") { track.setPathLength(length) }
            track.reason = message.text("reason")
            if let category = Category.allCases.first(where: { $0.name == message.text("category") }),
                category != .unknown
            {
                track.category = category.rawValue
            }
            let text = message.text("classifier-label")
            if !text.isEmpty { track.classifierLabel = Self.shortened(text) }
            if let best { track.offer(best, isFinal: isEnd) }
        }
    }

    private func best(of message: ParsedMessage, _ source: Int, _ clock: RecordingClock) -> ObservedTrack.Best? {
        let figures = ["best-x", "best-y", "best-width", "best-height"].compactMap { message.number($0) }
        guard let format = FrameFormat(message) ?? formats[source], figures.count == 4,
            let score = message.number("best-score"), let time = message.seconds("best-running-time")
        else { return nil }
        let box = Box(x: figures[0], y: figures[1], width: figures[2], height: figures[3])
            .scaled(x: 1 / format.width, y: 1 / format.height)
        return .init(
            score: score, time: time + clock.offset, streamTime: time + clock.streamOffset,
            box: format.orientation.upright(box, bufferWidth: 1, bufferHeight: 1))
    }

    private mutating func addZone(_ message: ParsedMessage, of source: Int, at time: Double) {
        eventCount += 1
        let (event, direction) = (message.text("event"), message.text("direction"))
        guard let kind = ObservedZone.Event.Kind(rawValue: event == "cross" ? direction : event) else { return }
        let happened = message.seconds("event-running-time").map { $0 + clocks[source].offset } ?? time
        extend(to: happened)
        let zone = index(ofZone: ZoneKey(source: source, name: message.text("zone"), isLine: event == "cross"))
        let isMarked = eventMarks < maximumEventMarks
        eventMarks += 1
        zones[zone].add(
            .init(
                time: happened, kind: kind, recording: clocks[source].recording,
                id: message.number("tracking-id").flatMap(Int.init(exactly:)) ?? 0,
                label: index(ofLabel: message.text("label")), dwell: message.seconds("dwell")),
            isMarked: isMarked)
    }

    private mutating func addCounts(_ message: ParsedMessage, of source: Int) throws {
        for entry in try message.list("zones") {
            let (name, isLine) = (entry["name"]?.string ?? "", entry["kind"]?.string == "line")
            let zone = index(ofZone: ZoneKey(source: source, name: name, isLine: isLine))
            var tallies: [Int: ObservedZone.Tally] = [:]
            for line in entry["by-label"]?.array ?? [] {
                func figure(_ name: String) -> Int { line[name]?.integer ?? 0 }
                tallies[index(ofLabel: line["label"]?.string ?? "")] = ObservedZone.Tally(
                    entered: figure("entered"), left: figure("left"), in: figure("in"), out: figure("out"))
            }
            zones[zone].count(tallies)
        }
    }

    /// Adds the latest result of a source to the heat maps and counts, weighted by the time for which it is valid. It
    /// is valid until `time`, the time of the next result, but not longer than ``longestHold``. At the end of the
    /// stream, `time` is `nil`, and the duration of the frame is used.
    private mutating func release(_ source: Int, at time: Double?) {
        guard let before = held[source] else { return }
        let lasted = time.map { $0 - before.time } ?? before.duration ?? 0
        let duration = lasted > 0 ? min(lasted, Self.longestHold) : 0.04
        for (label, box) in before.boxes {
            heat[
                label < Self.maximumMaps ? label : -1,
                default: HeatMap(aspect: Double(max(1, size.width)) / Double(max(1, size.height)))
            ].add(
                box, for: duration)
        }
        for (label, count) in before.untracked {
            untrackedTime[label, default: 0] += Double(count) * duration
            untracked.add(
                label < Self.maximumMaps ? label : -1, at: before.time - (span?.lowerBound ?? 0),
                for: Double(count) * duration)
        }
        held[source] = nil
    }

    private mutating func change(
        _ key: ObservedTrack.Key, _ label: Int, at time: Double, by body: (inout ObservedTrack) -> Void
    ) {
        body(&byKey[key, default: ObservedTrack(key, label: label, at: time)])
        // A track is reported some frames after its first detection, so its start may be before the current start of
        // the time axis.
        if let first = byKey[key]?.first { extend(to: first) }
    }

    private mutating func extend(to time: Double) {
        span = span.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }

    /// If there are more tracks than ``maximumTracks``, drops and counts the surplus tracks, the shortest first. Only
    /// tracks that ended before `time` are dropped. `time` is in seconds on the report's time axis.
    private mutating func forget(before time: Double) {
        let surplus = byKey.count - Self.maximumTracks
        guard surplus > 0 else { return }
        let shortest = byKey.values.filter { $0.last < time }.sorted { $0.duration < $1.duration }.prefix(surplus)
        for track in shortest {
            let (count, stay) = forgotten[track.label, default: (0, 0)]
            forgotten[track.label] = (count + 1, stay + track.duration)
            byKey[track.key] = nil
        }
    }

    private mutating func index(ofLabel name: String) -> Int {
        let name = labels.count < Self.maximumLabels || labelIndex[name] != nil ? name : "other labels"
        return Self.index(of: name, in: &labels, &labelIndex)
    }

    private mutating func index(ofSource name: String) -> Int {
        let index = Self.index(of: name, in: &sources, &sourceIndex)
        if index == clocks.count {
            clocks.append(RecordingClock())
            held.append(nil)
            formats.append(nil)
        }
        return index
    }

    private mutating func index(ofZone key: ZoneKey) -> Int {
        if let index = zoneIndex[key] { return index }
        zoneIndex[key] = zones.count
        zones.append(ObservedZone(String(key.name.prefix(Self.longestName)), of: key.source, isLine: key.isLine))
        return zones.count - 1
    }

    /// Returns the index of a name in the list. A missing name is appended.
    private static func index(of name: String, in list: inout [String], _ places: inout [String: Int]) -> Int {
        if let place = places[name] { return place }
        places[name] = list.count
        list.append(shortened(name))
        return list.count - 1
    }

    private static func shortened(_ name: String) -> String {
        name.utf8.count <= longestName ? name : String(name.unicodeScalars.prefix(longestName)) + "…"
    }
}

/// How long objects covered each cell of a grid over the upright frame.
struct HeatMap {
    static let columns = 64

    let rows: Int
    /// The time of each cell in seconds, row by row.
    private(set) var cells: [Float]

    /// - Parameter aspect: The width of the upright frame divided by its height.
    init(aspect: Double) {
        rows = min(max(Int((Double(Self.columns) / max(aspect, 0.1)).rounded()), 8), 4 * Self.columns)
        cells = Array(repeating: 0, count: Self.columns * rows)
    }

    /// Adds `seconds` to the time of each cell that the box covers. The box is in normalized coordinates (0 to 1) of
    /// the upright frame. The cost is proportional to the number of covered cells.
    mutating func add(_ box: Box, for seconds: Double) {
        let across = Self.range(box.minX, box.maxX, of: Self.columns)
        for y in Self.range(box.minY, box.maxY, of: rows) {
            for x in across { cells[y * Self.columns + x] += Float(seconds) }
        }
    }

    /// Returns the indices of the cells whose centres are between `from` and `to`. For a range without a centre,
    /// returns the cell at its middle.
    private static func range(_ from: Double, _ to: Double, of count: Int) -> Range<Int> {
        let size = Double(count)
        let first = min(max((min(max(from, 0), 1) * size).rounded(), 0), size)
        let end = min(max((min(max(to, 0), 1) * size).rounded(), 0), size)
        if first < end { return Int(first)..<Int(end) }
        let middle = min(Int(max(0, (min(max(from, 0), 1) + min(max(to, 0), 1)) / 2 * size)), count - 1)
        return middle..<middle + 1
    }
}

/// How many objects without tracking ids were visible at each time, as averages of equal intervals. To keep at most
/// 1,000 intervals, their length (`step`, in seconds) is doubled when necessary.
struct CountSeries {
    private static let maximumSteps = 1_000

    private(set) var step = 0.25
    /// The object-seconds in each interval, by index of the label: an object that is visible for two seconds counts as
    /// two.
    private(set) var sums: [Int: [Double]] = [:]

    /// - Parameter time: The time in seconds since the start of the report's time axis; negative values count as 0.
    mutating func add(_ label: Int, at time: Double, for seconds: Double) {
        let time = max(0, time)
        while time / step >= Double(Self.maximumSteps), step < 1e12 { widen() }
        let place = min(Int(time / step), Self.maximumSteps - 1)
        let missing = place + 1 - sums[label, default: []].count
        if missing > 0 { sums[label, default: []] += repeatElement(0, count: missing) }
        sums[label, default: []][place] += seconds
    }

    private mutating func widen() {
        step *= 2
        sums = sums.mapValues { list in
            stride(from: 0, to: list.count, by: 2).map { list[$0..<min($0 + 2, list.count)].reduce(0, +) }
        }
    }
}
