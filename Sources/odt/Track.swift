import SwiftODT

let trackSubcommand = Subcommand(
    name: "track", summary: "follow objects through a file of detections", help: help, work: runTrack)

private let help = """
    Follows objects through a file of detections and gives each an id.

    usage: odt track --detections FILE --output FILE [options]

      --detections FILE      MOTChallenge's text, one detection a line: frame,-1,x,y,width,height,score[,class,...];
                             frames count from 1, boxes in pixels; '-' reads standard input. Or what odt detect recorded:
                             then tracks go by the times and sizes that it has
      --output FILE          one box a line: frame,id,x,y,width,height,score,-1,-1,-1;
                             '-' writes standard output
      --frame-rate N         frames a second of the sequence (the recording's, else 30)
      --image-size WxH       size of the pictures (the recording's, else as far as the boxes reach)
      --score-threshold S    detections from here up start tracks; up to half more where
                             the scores show noise (\(TrackerOptions().scoreThreshold))
      --min-hits N           detections it takes until a track is shown (\(TrackerOptions().minHits))
      --max-age SECONDS      how long a track lives unseen (\(seconds(TrackerOptions().maxAge)))
      --timing               says on the standard error what the tracker took, without reading and writing
      --help                 this text

    Columns are parted by commas, semicolons or blanks; decimal commas are understood where semicolons or blanks
    part the columns. At most \(TrackerOptions().maxTracks) objects are followed at once, and the \(Tracker.maximumDetections) surest detections of a frame
    are used. How many were not used, and why, is said on the standard error.
    """

private func seconds(_ duration: Nanoseconds) -> Double { Double(duration) / 1e9 }

@Sendable private func runTrack(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments,
        valued: [
            "--detections", "--output", "--frame-rate", "--image-size", "--score-threshold", "--min-hits",
            "--max-age",
        ], flags: ["--timing"])
    if let operand = line.operands.first { throw CommandLineError("'\(operand)' is one word too many.") }
    try track(TrackRequest(line))
    return ExitCode.success
}

/// What the command line asks for.
private struct TrackRequest {
    let detections: String
    let output: String
    let frameRate: Double?
    let imageSize: (width: Int, height: Int)?
    let options: TrackerOptions
    let saysTiming: Bool

    init(_ line: CommandLineOptions) throws {
        guard let detections = line.text("--detections") else { throw CommandLineError("--detections is missing.") }
        guard let output = line.text("--output") else { throw CommandLineError("--output is missing.") }
        self.detections = detections
        self.output = output
        frameRate = try line.number("--frame-rate", in: 0.01...10_000)
        if let text = line.text("--image-size") {
            let parts = text.split(separator: "x").map { Int($0) }
            guard parts.count == 2, let width = parts[0], let height = parts[1], width > 0, height > 0,
                width <= 1 << 20, height <= 1 << 20
            else { throw CommandLineError("--image-size must look like 1920x1080, not '\(text)'.") }
            imageSize = (width, height)
        } else {
            imageSize = nil
        }
        var options = TrackerOptions()
        if let threshold = try line.number("--score-threshold", in: 0...1) { options.scoreThreshold = threshold }
        if let hits = try line.wholeNumber("--min-hits", in: 1...1000) { options.minHits = hits }
        if let age = try line.number("--max-age", in: 0...3600) { options.maxAge = Nanoseconds(age * 1e9) }
        self.options = options
        saysTiming = line.has("--timing")
    }
}

/// Reads all detections, runs the tracker over the frames, writes what it shows.
private func track(_ request: TrackRequest) throws {
    let following: TrackingRun
    if request.detections != "-", RecordingReader.isOurs(request.detections) {
        following = try follow(RecordingReader(request.detections), request)
    } else {
        following = try follow(MOTChallengeDetections(path: request.detections), request)
    }
    if following.tracker.unused.count > 0 {
        let unused = following.tracker.unused
        printError("odt track: \(tally(unused, of: following.count, from: request.options.scoreFloor))")
    }
    if request.saysTiming { printError(timing(following.spent)) }
    try ByteStream.write(following.written.text, to: request.output)
}

/// A tracker at work, and what it has shown so far.
private struct TrackingRun {
    let tracker: Tracker
    let size: (width: Int, height: Int)
    private(set) var written = MOTChallengeTracks()
    private(set) var spent: [Duration] = []
    private(set) var count = 0

    init(_ options: TrackerOptions, size: (width: Int, height: Int)) {
        (tracker, self.size) = (Tracker(options: options), size)
    }

    mutating func follow(_ found: [Detection], in frame: Int, at time: Nanoseconds) {
        var tracks: [Track] = []
        count += found.count
        spent.append(
            ContinuousClock().measure {
                tracker.advance(to: time, width: size.width, height: size.height, luma: nil)
                tracker.update(found, seenAt: time)
                tracks = tracker.tracks
            })
        for track in tracks where track.state == .new || track.state == .tracked { written.append(track, in: frame) }
        _ = tracker.takeEvents()
    }
}

/// From the first frame to the last.
private func follow(_ input: MOTChallengeDetections, _ request: TrackRequest) -> TrackingRun {
    var following = TrackingRun(request.options, size: request.imageSize ?? input.extent)
    func time(of frame: Int) -> Nanoseconds { Nanoseconds(seconds: Double(frame - 1) / (request.frameRate ?? 30)) }
    var next = 1
    for frame in input.frames {
        // Where nothing is seen and nothing awaited any longer, frame after frame says nothing.
        while next < frame {
            following.follow([], in: next, at: time(of: next))
            next = following.tracker.trackCount == 0 ? frame : next + 1
        }
        following.follow(input.detections(in: frame), in: frame, at: time(of: frame))
        next = frame + 1
    }
    return following
}

/// Through the frames that were looked at; numbers follow from times.
private func follow(_ recording: RecordingReader, _ request: TrackRequest) throws -> TrackingRun {
    guard let header = recording.header else { throw MOTChallengeError("\(request.detections) is no recording.") }
    let recorded = Double(header.frameRate.numerator) / Double(header.frameRate.denominator)
    let rate = request.frameRate ?? (recorded > 0 ? recorded : 30)
    var following = TrackingRun(request.options, size: request.imageSize ?? (header.width, header.height))
    while let frame = try recording.next() {
        switch frame.key {
        case .time(let time):
            let number = 1 + (Int(exactly: (Double(time) / 1e9 * rate).rounded()) ?? 0)
            following.follow(frame.detections, in: number, at: time)
        case .number(let number):
            following.follow(frame.detections, in: number, at: Nanoseconds(seconds: Double(number - 1) / rate))
        }
    }
    return following
}

/// How many detections were not used, and why.
private func tally(_ unused: UnusedDetections, of all: Int, from floor: Double) -> String {
    let reasons = [
        (unused.weak, "with a score below \(floor)"), (unused.impossible, "with no box that can be"),
        (unused.doubled, "on another one"), (unused.surplus, "beyond \(Tracker.maximumDetections) in a frame"),
    ]
    let named = reasons.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let verb = unused.count == 1 ? "was" : "were"
    return "\(unused.count) of \(CountText.text(all, "detection")) \(verb) not used: \(named)."
}

/// What frames took: half of them less than the median, which does not ask what else the machine was doing.
private func timing(_ spent: [Duration]) -> String {
    if spent.isEmpty { return "no frames" }
    let median = spent.sorted()[spent.count / 2] / .microseconds(1)
    let mean = spent.reduce(.zero, +) / .microseconds(spent.count)
    return DecimalText.text(median, decimals: 2) + " microseconds a frame (median; "
        + DecimalText.text(mean, decimals: 2) + " on average)"
}
