import CFontconfig
import CVersion
import Glibc
import Playback
import SwiftODT

let doctorSubcommand = Subcommand(
    name: "doctor", summary: "check the installation and suggest remedies", help: help, work: runDoctor)

private let help = """
    Checks each part of the installation and prints a remedy for each problem.

    usage: odt doctor [--json]

    Checks GStreamer, the swiftodt plugin, the OpenVINO runtime, the default models and the integrity of their files, the
    known-answer tests of the models, the time of one inference, decoders and encoders, cameras, fonts and the cache of
    compiled networks. Nothing is changed.

      --json           print all findings as one line of JSON
      --help           show this text

    Each line is 'fine', 'limited' (works with restrictions) or 'missing'. The exit code is 1 if something is missing.

    examples:
      odt doctor
    """

@Sendable private func runDoctor(_ arguments: [String]) throws -> Int32 {
    // `--try` is an internal option, used in a child process, because loading a damaged plugin can crash the process.
    let line = try CommandLineOptions(arguments, valued: ["--try"], flags: ["--json"])
    if let plugin = line.text("--try") {
        try PluginSearch.startGStreamer()
        print(PluginState.reason(against: plugin) ?? "")
        return ExitCode.success
    }
    guard line.operands.isEmpty else { throw CommandLineError("unexpected operand '\(line.operands[0])'.") }
    var findings: [Finding] = []
    // Each examination's findings are printed at once, because some examinations take long.
    for examine in examinations {
        let found = examine()
        if !line.has("--json") { found.forEach { print($0.text) } }
        findings += found
    }
    let lacking = findings.filter { $0.verdict == .missing }
    if line.has("--json") {
        print(JSONValue.object(["findings": .array(findings.map(\.json))]).text)
    } else {
        print(
            lacking.isEmpty
                ? "Nothing is missing." : "Missing: \(lacking.map(\.part).joined(separator: ", ")).")
    }
    return lacking.isEmpty ? ExitCode.success : ExitCode.failure
}

/// The functions that examine one part of the installation each. `examineGStreamer` initializes GStreamer, so it
/// precedes the functions that need GStreamer.
private let examinations: [@Sendable () -> [Finding]] = [
    examineGStreamer, examinePlugin, examineRuntime, examineModels, examineKnownAnswers, examineNetwork,
    examineDecoders, examineEncoders,
    examineCameras, examineFonts, examineCache,
]

/// Examines the cache folder for compiled networks.
@Sendable func examineCache() -> [Finding] {
    let state = NetworkCacheState.read()
    guard let folder = state.folder else {
        return [
            .limited(
                "cache", "this user has no home folder, so networks are compiled at each start",
                remedy: "set XDG_CACHE_HOME to a folder")
        ]
    }
    guard state.isWritable else {
        return [
            .limited(
                "cache", "\(folder) is not writable, so networks are compiled at each start",
                remedy: "change its owner to this user, or set XDG_CACHE_HOME to another folder")
        ]
    }
    let holds = "\(folder) holds \(state.count) compiled networks, \(megabytes(state.bytes))"
    if let free = state.freeBytes, free < 100_000_000 {
        return [.limited("cache", "\(holds); the disk is full", remedy: "free at least 100 MB")]
    }
    return [.fine("cache", holds)]
}

private func megabytes(_ bytes: Int) -> String { "\(bytes / 1_000_000) MB" }

/// Examines whether there are V4L2 cameras and whether this user can access them.
@Sendable func examineCameras() -> [Finding] {
    let cameras = PartFile.names(in: "/dev").filter { $0.hasPrefix("video") }.sorted().map { "/dev/" + $0 }
    guard !cameras.isEmpty else { return [.fine("camera", "no /dev/video*; files and network streams work")] }
    return cameras.map { camera in
        if access(camera, R_OK | W_OK) == 0 { return .fine("camera", camera) }
        return .limited(
            "camera", "\(camera) is not accessible to this user: \(String(cString: strerror(errno)))",
            remedy: "'sudo usermod -aG video $USER', then log in again")
    }
}

/// Examines for which video formats decoders are installed.
@Sendable func examineDecoders() -> [Finding] {
    let kinds = [
        ("H.264", "video/x-h264"), ("H.265", "video/x-h265"), ("VP8", "video/x-vp8"), ("VP9", "video/x-vp9"),
        ("AV1", "video/x-av1"), ("MPEG-4", "video/mpeg, mpegversion=4"), ("MPEG-2", "video/mpeg, mpegversion=2"),
        ("JPEG", "image/jpeg"),
    ]
    let readable = kinds.filter { !Codecs.decoders(of: $0.1).isEmpty }.map(\.0)
    let others = kinds.map(\.0).filter { !readable.contains($0) }
    guard !readable.isEmpty else {
        return [.missing("decoders", "no video decoder is installed", remedy: remedy)]
    }
    let detail = readable.joined(separator: ", ")
    guard others.isEmpty else {
        return [.limited("decoders", "\(detail); not \(others.joined(separator: ", "))", remedy: remedy)]
    }
    return [.fine("decoders", detail)]
}

/// Examines whether an H.264 encoder and a muxer are installed.
@Sendable func examineEncoders() -> [Finding] {
    let encoders = Codecs.encoders(to: "video/x-h264")
    let muxers = ["mp4mux", "matroskamux"].filter(Element.isThere)
    guard !encoders.isEmpty, !muxers.isEmpty else {
        let lacking = [encoders.isEmpty ? "no H.264 encoder" : nil, muxers.isEmpty ? "no muxer" : nil]
        return [
            .missing(
                "encoders",
                "\(lacking.compactMap(\.self).joined(separator: " and ")): videos cannot be recorded",
                remedy: remedy)
        ]
    }
    return [.fine("encoders", "H.264 by \(encoders.joined(separator: ", ")); \(muxers.joined(separator: ", "))")]
}

private let remedy =
    "install gstreamer1.0-plugins-good, gstreamer1.0-plugins-bad, gstreamer1.0-plugins-ugly and gstreamer1.0-libav"

/// Examines whether fonts for labels are installed.
@Sendable func examineFonts() -> [Finding] {
    let remedy = "install fonts-dejavu-core; Pipelines/setup lists packages for other scripts"
    guard FcInit() != 0, let fonts = FcConfigGetFonts(nil, FcSetSystem), fonts.pointee.nfont > 0 else {
        return [.missing("fonts", "fontconfig finds no font: labels would be empty", remedy: remedy)]
    }
    return [.fine("fonts", "\(fonts.pointee.nfont)")]
}

/// Examines whether GStreamer can be initialized.
@Sendable func examineGStreamer() -> [Finding] {
    do {
        return [.fine("GStreamer", try PluginSearch.startGStreamer())]
    } catch {
        return [.missing("GStreamer", "\(error)", remedy: "install gstreamer1.0-tools and gstreamer1.0-plugins-base")]
    }
}

/// Examines whether the plugin can be loaded and has the same version as this program.
@Sendable func examinePlugin() -> [Finding] {
    // An installed program comes from a package, an archive or a checkout. Its origin is not recorded, so the remedy
    // names all three.
    let remedy =
        FetchProgram.areInstalled
        ? "install the package gstreamer1.0-swiftodt, or run ./install of the archive or Pipelines/setup --install "
            + "of the checkout again"
        : "run Pipelines/setup --install, which installs it in GStreamer's plugin folder"
    switch PluginState.query() {
    case .found(let file, let version) where version == SWIFTODT_VERSION:
        return [.fine("plugin", "\(file), \(version)")]
    case .found(let file, let version):
        return [
            .limited("plugin", "\(file) is version \(version), and this odt is \(SWIFTODT_VERSION)", remedy: remedy)
        ]
    case .refused(let file):
        return [
            .missing(
                "plugin", "\(file) cannot be loaded: \(reason(against: file))",
                remedy: "\(remedy); this also installs the libraries that it needs")
        ]
    case .absent(let folders):
        return [.missing("plugin", "not found in \(folders.joined(separator: ", "))", remedy: remedy)]
    }
}

/// Returns the reason why the plugin cannot be loaded. A child process loads the plugin, because a damaged file can
/// crash the process.
private func reason(against file: String) -> String {
    do {
        var other = try ChildProcess("/proc/self/exe", ["doctor", "--try", file], readsOutput: true)
        let text = other.output().trimmed
        let code = try other.exitCode()
        if code > 128 { return "loading it crashes with signal \(code - 128), so the file is damaged" }
        return text.isEmpty ? "GStreamer reports no reason" : text
    } catch {
        return "\(error)"
    }
}

extension String {
    fileprivate var trimmed: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}

/// Examines whether each default model is installed and its files match the hashes of its manifest.
@Sendable func examineModels() -> [Finding] {
    let installed = InstalledModel.all()
    let fetch = FetchProgram.modelAdvice
    return ModelSearchPath.Purpose.allCases.map { purpose in
        let part = purpose.rawValue
        guard let path = try? ModelSearchPath.locate(purpose) else {
            return .missing(
                part, "no model in \(ModelSearchPath.folders.joined(separator: ", "))",
                remedy: "run \(fetch) to fetch it")
        }
        guard let model = installed.first(where: { $0.path == path }), let manifest = model.manifest,
            !manifest.files.isEmpty
        else {
            return .limited(
                part, "\(path) has no manifest, so its integrity cannot be checked",
                remedy: "run \(fetch) to fetch it with its manifest")
        }
        let damaged = manifest.files.map { (path: model.folder + "/" + $0.name, sum: $0.sha256) }
            .filter { (try? FileDigest.sha256($0.path)) != $0.sum }
        let origin = ModelChoice.of(purpose).map { ", chosen by \($0.origin)" } ?? ""
        guard let first = damaged.first else { return .fine(part, "\(model.name), intact, \(path)\(origin)") }
        return .missing(
            part, "\(first.path) is damaged or missing",
            remedy: "remove \(model.manifestPath) and run \(fetch)")
    }
}

/// Measures the time of one inference with the default detector. If the runtime or the model is missing, returns no
/// finding, because other examinations report this problem.
@Sendable func examineNetwork() -> [Finding] {
    guard (try? InferenceRuntime.find()) != nil, let file = try? ModelSearchPath.locate(.detector) else { return [] }
    do {
        let time = try shortestAnswer(of: DetectorConfiguration(.neural).makeDetector())
        let milliseconds = DecimalText.text(Double(time) / 1e6, decimals: 1)
        return [.fine("network", "\(FilePath.stem(of: file)): \(milliseconds) ms per inference")]
    } catch {
        return [.missing("network", "\(error)", remedy: "run 'odt models show \(file)' for details")]
    }
}

/// Returns the shortest time of three inferences on a grey frame. The first inference warms up the network.
private func shortestAnswer(of detector: any Detector) throws -> Nanoseconds {
    let (width, height) = (640, 480)
    let pixels = UnsafeMutableRawPointer.allocate(byteCount: 4 * width * height, alignment: 64)
    defer { pixels.deallocate() }
    pixels.initializeMemory(as: UInt8.self, repeating: 128, count: 4 * width * height)
    let frame = Frame(
        format: .bgrx, width: width, height: height, planes: [Frame.Plane(base: pixels, stride: 4 * width)])
    return try (0..<3).map { _ in
        let begin = MonotonicClock.now
        _ = try detector.start(frame, options: DetectionOptions(isAwaited: true)).wait()
        return MonotonicClock.now - begin
    }.min() ?? 0
}

/// Examines whether the OpenVINO runtime is installed.
@Sendable func examineRuntime() -> [Finding] {
    do {
        let runtime = try InferenceRuntime.find()
        return [.fine("runtime", "OpenVINO \(runtime.version), \(runtime.processor)")]
    } catch {
        return [
            .missing(
                "runtime", "\(error)",
                remedy: "without it only detector=motion and upstream work; run \(FetchProgram.advice) to install it")
        ]
    }
}
