import SwiftODT

let trackSubcommand = Subcommand(
    name: "track", summary: "track objects in a file of detections", help: help, work: runTrack)

private let help = """
    Tracks objects in a file of detections and assigns an id to each. Useful to evaluate the tracker or to tune its options.

    usage: odt track --detections FILE -o FILE [options]

      --detections FILE      detections in MOTChallenge format, one per line: frame,-1,x,y,width,height,score[,class,...]
                             (frames start at 1, boxes in pixels; '-' is standard input); or a recording of odt detect,
                             whose timestamps and frame size are used: frame 1 is at time 0, which can be before the
                             first frame of the video
      -o FILE                tracks in MOTChallenge format: frame,id,x,y,width,height,score,-1,-1,-1;
                             includes objects that the detector missed for up to 0.08 s, or 0.2 s behind another object;
                             '-' is standard output
      --frame-rate N         frames per second, 0.01 to 10,000 (default: that of the recording, otherwise 30)
      --image-size WxH       frame size in pixels (default: that of the recording, otherwise the extent of the boxes)
      --score-threshold S    minimum score of detections that start tracks, 0 to 1; raised by up to 3/4 if the scores
                             are noisy (default: \(TrackerOptions().scoreThreshold))
      --min-hits N           detections before a track is confirmed, 1 to 1,000 (default: \(TrackerOptions().minHits))
      --max-age SECONDS      time after which a lost track is removed, 0 to 3,600 (default: \(seconds(TrackerOptions().maxAge)))
      --force                replace an existing file
      --timing               print the time per frame of the tracker alone to standard error
      --help                 show this text

    Columns are separated by commas, semicolons or spaces. Decimal commas are accepted if semicolons or spaces separate the
    columns. At most \(TrackerOptions().maxTracks) objects are tracked at once, and the \(Tracker.maximumDetections) detections with the highest scores of each
    frame are used. The number of unused detections and the reasons are printed to standard error.

    examples:
      odt track --detections det.txt -o tracks.txt --frame-rate 25
    """

private func seconds(_ duration: Nanoseconds) -> Double { Double(duration) / 1e9 }

@Sendable private func runTrack(_ arguments: [String]) throws -> Int32 {
    let line = try CommandLineOptions(
        arguments,
        valued: [
            "--detections", "-o", "--frame-rate", "--image-size", "--score-threshold", "--min-hits",
            "--max-age",
        ], flags: ["--force", "--timing"])
    if let operand = line.operands.first { throw CommandLineError("unexpected operand '\(operand)'.") }
    try track(TrackRequest(line))
    return ExitCode.success
}

private struct TrackRequest {
    let detections: String
    let output: String
    let frameRate: Double?
    let imageSize: (width: Int, height: Int)?
    let options: TrackerOptions
    let saysTiming: Bool

    init(_ line: CommandLineOptions) throws {
        guard let detections = line.text("--detections") else { throw CommandLineError("missing --detections FILE.") }
        guard let output = line.text("-o") else { throw CommandLineError("missing -o FILE.") }
        try ByteStream.check(outputs: [output], inputs: [detections], mayReplace: line.has("--force"))
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
                tracks = tracker.currentTracks
            })
        for track in tracks { written.append(track, in: frame) }
        _ = tracker.takeEvents()
    }
}

/// Tracks the objects of a MOTChallenge file. The tracker also processes the frames without detections.
private func follow(_ input: MOTChallengeDetections, _ request: TrackRequest) -> TrackingRun {
    var following = TrackingRun(request.options, size: request.imageSize ?? input.extent)
    func time(of frame: Int) -> Nanoseconds { Nanoseconds(seconds: Double(frame - 1) / (request.frameRate ?? 30)) }
    var next = 1
    for frame in input.frames {
        // An empty frame has no effect while the tracker has no tracks, so such frames are skipped.
        while next < frame {
            following.follow([], in: next, at: time(of: next))
            next = following.tracker.trackCount == 0 ? frame : next + 1
        }
        following.follow(input.detections(in: frame), in: frame, at: time(of: frame))
        next = frame + 1
    }
    return following
}

/// Tracks the objects of a recording of `odt detect`. Only frames with an inference are tracked. If the recording
/// identifies frames by time, frame numbers are computed from the times and the frame rate.
private func follow(_ recording: RecordingReader, _ request: TrackRequest) throws -> TrackingRun {
    guard let header = recording.header else { throw MOTChallengeError("\(request.detections) is not a recording.") }
    let recorded = Double(header.frameRate.numerator) / Double(header.frameRate.denominator)
    let rate = request.frameRate ?? (recorded > 0 ? recorded : 30)
    var following = TrackingRun(request.options, size: request.imageSize ?? (header.width, header.height))
    var last: (number: Int, time: Nanoseconds)?
    while let frame = try recording.next() {
        switch frame.key {
        case .time(let time):
            let number = 1 + (Int(exactly: (Double(time) / 1e9 * rate).rounded()) ?? 0)
            if let last, number <= last.number {
                let needed = min(10_000, (1_000_000_000 + time - last.time - 1) / (time - last.time))
                throw MOTChallengeError(
                    "\(request.detections): the frames at \(FrameKey.time(last.time)) and \(frame.key) have the same frame "
                        + "number; use --frame-rate \(needed) or higher")
            }
            last = (number, time)
            following.follow(frame.detections, in: number, at: time)
        case .number(let number):
            following.follow(frame.detections, in: number, at: Nanoseconds(seconds: Double(number - 1) / rate))
        }
    }
    return following
}

private func tally(_ unused: UnusedDetections, of all: Int, from floor: Double) -> String {
    let reasons = [
        (unused.weak, "with a score below \(floor)"), (unused.impossible, "with an invalid box or score"),
        (unused.doubled, "overlapping another one"), (unused.surplus, "beyond \(Tracker.maximumDetections) per frame"),
    ]
    let named = reasons.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let verb = unused.count == 1 ? "was" : "were"
    return "\(unused.count) of \(CountText.text(all, "detection")) \(verb) not used: \(named)."
}

/// Describes the tracker's time per frame. The median comes first: unlike the mean, it is hardly affected by other
/// programs.
private func timing(_ spent: [Duration]) -> String {
    if spent.isEmpty { return "no frames" }
    let median = spent.sorted()[spent.count / 2] / .microseconds(1)
    let mean = spent.reduce(.zero, +) / .microseconds(spent.count)
    return DecimalText.text(median, decimals: 2) + " microseconds per frame (median; "
        + DecimalText.text(mean, decimals: 2) + " mean)"
}
