import CODTFontconfig
import CODTVersion
import Glibc
import ODTPlayback
import SwiftODT

/// A check of one part of the installation. It returns `nil` if the part cannot be checked because another part is
/// missing. The check of that other part reports the problem.
typealias InstallationCheck = (part: String, run: () -> CheckResult?)

/// Returns the checks in the order in which they run. Checks that need GStreamer come after the check that initialises
/// it.
func installationChecks() -> [InstallationCheck] {
    let models = ModelSearchPath.Purpose.allCases.map { purpose in
        (part: purpose.rawValue, run: { checkModel(purpose) }) as InstallationCheck
    }
    return [("GStreamer", checkGStreamer), ("plugin", checkPlugin), ("runtime", checkRuntime)] + models + [
        ("self-test", checkKnownAnswers), ("network", checkNetwork), ("decoders", checkDecoders),
        ("encoders", checkEncoders),
    ] + cameraChecks() + [("fonts", checkFonts), ("cache", checkCache)]
}

private func checkGStreamer() -> CheckResult? {
    do {
        return .fine(try PluginSearch.startGStreamer())
    } catch {
        return .missing("\(error)", remedy: "install gstreamer1.0-tools and gstreamer1.0-plugins-base")
    }
}

private func checkPlugin() -> CheckResult? {
    // The program does not know whether it was installed from a package, an archive or a checkout, so the remedy names
    // all three.
    let remedy =
        FetchProgram.areInstalled
        ? "install the package gstreamer1.0-swiftodt, or run ./install of the archive or Pipelines/setup --install "
            + "of the checkout again"
        : "run Pipelines/setup --install, which installs it in GStreamer's plugin folder"
    switch PluginState.query() {
    case .found(let file, let version) where version == SWIFTODT_VERSION: return .fine("\(file), \(version)")
    case .found(let file, let version):
        return .limited("\(file) is version \(version), and this odt is \(SWIFTODT_VERSION)", remedy: remedy)
    case .refused(let file):
        return .missing(
            "\(file) cannot be loaded: \(reason(against: file))",
            remedy: "\(remedy); this also installs the libraries that it needs")
    case .absent(let folders):
        return .missing("not found in \(folders.joined(separator: ", "))", remedy: remedy)
    }
}

/// Loads the plugin in a child process and returns why loading fails.
private func reason(against file: String) -> String {
    problem(of: ["--try", file]) ?? "GStreamer reports no reason"
}

/// Why the OpenVINO runtime cannot be loaded; `nil` if it can.
let runtimeProblem = problem(of: ["--try-runtime"])

/// Loads a library in a child process, because a damaged library can crash the process that loads it. Returns the
/// problem.
private func problem(of words: [String]) -> String? {
    do {
        var other = try ChildProcess("/proc/self/exe", ["doctor"] + words, readsOutput: true)
        let text = other.output().split(whereSeparator: \.isNewline).joined(separator: " ")
        let code = try other.exitCode()
        if code > 128 { return "loading it crashes with signal \(code - 128), so a file is damaged" }
        return text.isEmpty ? nil : text
    } catch {
        return "\(error)"
    }
}

private func checkRuntime() -> CheckResult? {
    if runtimeProblem == nil, let runtime = try? InferenceRuntime.find() {
        return .fine("OpenVINO \(runtime.version), \(runtime.processor)")
    }
    let problem = runtimeProblem ?? ""
    // Most problems name the command already.
    let advice = problem.contains("odt setup") ? "" : "; run \(FetchProgram.advice) to install it"
    return .missing(
        problem, remedy: "without it only detector=motion, upstream, tensors and recorded work\(advice)")
}

private func checkModel(_ purpose: ModelSearchPath.Purpose) -> CheckResult? {
    // Setup fetches the models, too.
    let fetch = runtimeProblem == nil ? FetchProgram.modelAdvice : FetchProgram.advice
    let path: String
    do {
        path = try ModelSearchPath.locate(purpose)
    } catch {
        guard let choice = ModelChoice.of(purpose) else {
            return .missing(
                "no model in \(ModelSearchPath.folders.joined(separator: ", "))", remedy: "run \(fetch) to fetch it")
        }
        return .missing(
            "\(error)",
            remedy: choice.origin == ModelChoice.variable
                ? "unset \(ModelChoice.variable)" : "run 'odt models use --best' to remove the choice")
    }
    let name = FilePath.stem(of: path)
    guard let manifest = try? ModelManifest.load(besideModel: path), !manifest.files.isEmpty else {
        return .limited(
            "\(path) has no manifest with hashes, so its integrity cannot be checked",
            remedy: FetchableModel.isFetchable(name)
                ? "run \(fetch) to fetch it with its manifest" : "'odt models fetch --from' writes a manifest")
    }
    let damaged = manifest.files.map { (path: FilePath.folder(of: path) + "/" + $0.name, sum: $0.sha256) }
        .filter { (try? FileDigest.sha256($0.path)) != $0.sum }
    let origin = ModelChoice.of(purpose).map { ", chosen by \($0.origin)" } ?? ""
    guard let first = damaged.first else { return .fine("\(name), intact, \(path)\(origin)") }
    return .missing(
        "\(first.path) is damaged or missing",
        remedy: "remove \(ModelManifest.path(besideModel: path)) and run \(fetch)")
}

/// Runs the known-answer test of each default model: the test compares the model's result for a reference picture with
/// the result that its manifest lists.
private func checkKnownAnswers() -> CheckResult? {
    guard runtimeProblem == nil else { return nil }
    var right: [String] = []
    var unknown: [String] = []
    for purpose in ModelSearchPath.Purpose.allCases {
        guard let file = try? ModelSearchPath.locate(purpose) else { continue }
        let stem = FilePath.stem(of: file)
        do {
            if try ModelManifest.load(model: file)?.knownAnswers.isEmpty ?? true {
                if FetchableModel.isFetchable(stem) { unknown.append(stem) }
                continue
            }
            try load(purpose)
            right.append(stem)
        } catch {
            return .missing("\(error)", remedy: "check its files in the line '\(purpose.rawValue)' above")
        }
    }
    if !unknown.isEmpty {
        return .limited(
            "no known answers for \(unknown.joined(separator: ", "))",
            remedy: "run \(FetchProgram.modelAdvice) to fetch them")
    }
    return right.isEmpty ? nil : .fine("known answers from \(right.joined(separator: ", "))")
}

/// Loads the default model for a purpose. Loading includes the model's known-answer test.
private func load(_ purpose: ModelSearchPath.Purpose) throws {
    switch purpose {
    case .detector: _ = try DetectorConfiguration(.neural).makeDetector()
    case .salient:
        var configuration = DetectorConfiguration(.salient)
        configuration.isForStills = true
        _ = try configuration.makeDetector()
    case .classifier: _ = try CropClassifier()
    }
}

private func checkNetwork() -> CheckResult? {
    guard runtimeProblem == nil, let file = try? ModelSearchPath.locate(.detector) else { return nil }
    do {
        let time = try shortestAnswer(of: DetectorConfiguration(.neural).makeDetector())
        let milliseconds = DecimalText.text(Double(time) / 1e6, decimals: 1)
        return .fine("\(FilePath.stem(of: file)): \(milliseconds) ms per inference")
    } catch {
        return .missing("\(error)", remedy: "run 'odt models show \(file)' for details")
    }
}

/// Returns the shortest time of three inferences on a grey frame. The first inference is slower because the network
/// warms up.
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

private let packages =
    "install gstreamer1.0-plugins-good, gstreamer1.0-plugins-bad, gstreamer1.0-plugins-ugly and gstreamer1.0-libav"

private func checkDecoders() -> CheckResult? {
    let kinds = [
        ("H.264", "video/x-h264"), ("H.265", "video/x-h265"), ("VP8", "video/x-vp8"), ("VP9", "video/x-vp9"),
        ("AV1", "video/x-av1"), ("MPEG-4", "video/mpeg, mpegversion=4"), ("MPEG-2", "video/mpeg, mpegversion=2"),
        ("JPEG", "image/jpeg"),
    ]
    let readable = kinds.filter { !Codecs.decoders(of: $0.1).isEmpty }.map(\.0)
    let others = kinds.map(\.0).filter { !readable.contains($0) }
    guard !readable.isEmpty else { return .missing("no video decoder is installed", remedy: packages) }
    let detail = readable.joined(separator: ", ")
    return others.isEmpty
        ? .fine(detail) : .limited("\(detail); not \(others.joined(separator: ", "))", remedy: packages)
}

private func checkEncoders() -> CheckResult? {
    let encoders = VideoEncoder.installedForH264
    let muxers = ["mp4mux", "matroskamux"].filter(Element.isInstalled)
    guard !encoders.isEmpty, !muxers.isEmpty else {
        let lacking = [encoders.isEmpty ? "no H.264 encoder" : nil, muxers.isEmpty ? "no muxer" : nil]
        return .missing(
            "\(lacking.compactMap(\.self).joined(separator: " and ")): videos cannot be recorded", remedy: packages)
    }
    return .fine("H.264 by \(encoders.joined(separator: ", ")); \(muxers.joined(separator: ", "))")
}

private func cameraChecks() -> [InstallationCheck] {
    let cameras = PartFile.names(in: "/dev").filter { $0.hasPrefix("video") }.sorted().map { "/dev/" + $0 }
    guard !cameras.isEmpty else {
        return [("camera", { .fine("no /dev/video*; files and network streams work") })]
    }
    return cameras.map { camera in
        let check: () -> CheckResult? = {
            if access(camera, R_OK | W_OK) == 0 { return .fine(camera) }
            return .limited(
                "\(camera) is not accessible to this user: \(String(cString: strerror(errno)))",
                remedy: "'sudo usermod -aG video $USER', then log in again")
        }
        return ("camera", check)
    }
}

private func checkFonts() -> CheckResult? {
    guard FcInit() != 0, let fonts = FcConfigGetFonts(nil, FcSetSystem), fonts.pointee.nfont > 0 else {
        return .missing(
            "fontconfig finds no font: labels would be empty",
            remedy: "install fonts-dejavu-core; Pipelines/setup lists packages for other scripts")
    }
    return .fine("\(fonts.pointee.nfont)")
}

private func checkCache() -> CheckResult? {
    let state = NetworkCacheState.read()
    guard let folder = state.folder else {
        return .limited(
            "this user has no home folder, so networks are compiled at each start",
            remedy: "set XDG_CACHE_HOME to a folder")
    }
    guard state.isWritable else {
        return .limited(
            "\(folder) is not writable, so networks are compiled at each start",
            remedy: "change its owner to this user, or set XDG_CACHE_HOME to another folder")
    }
    let holds = "\(folder) holds \(state.count) compiled networks, \(state.bytes / 1_000_000) MB"
    if let free = state.freeBytes, free < 100_000_000 {
        return .limited("\(holds); the disk is full", remedy: "free at least 100 MB")
    }
    return .fine(holds)
}
