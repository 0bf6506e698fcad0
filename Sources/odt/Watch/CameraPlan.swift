import Glibc
import ODTPlayback
import SwiftODT

/// A camera as named on the command line or in the configuration file, for example `front=rtsp://192.168.1.20/stream1`.
struct CameraPlan: Sendable {
    var name: String
    /// A file, a URI or a device.
    var source: String
    /// The properties to set, in this order. A later setting overrides an earlier one.
    var settings: [CameraSetting] = []
    /// Whether `--record` records this camera.
    var isRecorded = true
    /// Whether commands and URLs that receive events also receive pictures of the objects.
    var sendsPictures = false
    /// Whether clips (short videos of events) are saved for this camera.
    var savesClips = false
    var decoding = DecodingChoice()
    var takesPictures: Bool { sendsPictures || savesClips }
    /// The size and modification time of each file that a property names. Set by ``noteFiles()``.
    private var files: [String] = []

    init(name: String, source: String) { (self.name, self.source) = (name, source) }

    /// Parses the cameras of a command line and gives each of them a unique name.
    ///
    /// - Parameter others: The names of other cameras, which must not be used again.
    static func list(_ words: [String], besides others: [String]) throws -> [CameraPlan] {
        let named = try words.map { word -> (name: String?, source: String) in
            guard let (name, source) = try split(word) else { return (nil, try StandardInput.videoPath(of: word)) }
            guard !source.isEmpty else { throw CommandLineError("'\(word)' has no source: write NAME=SOURCE.") }
            return (name, try StandardInput.videoPath(of: source))
        }
        var taken = Set(others)
        for case let name? in named.map(\.name) where !taken.insert(name).inserted {
            throw CommandLineError("two cameras have the name '\(name)': choose different names.")
        }
        return named.map { name, source in
            if let name { return CameraPlan(name: name, source: source) }
            let name = derived(source, besides: &taken)
            return CameraPlan(name: name, source: source)
        }
    }

    /// Returns whether the text is a valid camera name. A name begins with a letter or digit and consists of at most 64
    /// bytes of letters, digits, `-`, `_` and `.`, because names become parts of file names and MQTT topics.
    static func isName(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter || first.isNumber, text.utf8.count <= 64 else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    }

    /// Splits NAME=SOURCE. Returns `nil` if the word is an existing file, a URI, or a path whose folders contain the
    /// equals sign.
    private static func split(_ word: String) throws -> (name: String, source: String)? {
        guard let equals = word.firstIndex(of: "="), !PathText.exists(word), !MediaSource.isAddress(word),
            !word[..<equals].contains("/")
        else { return nil }
        let name = String(word[..<equals])
        guard isName(name) else {
            throw CommandLineError(
                "'\(name)' is not a valid camera name: use letters, digits, '-', '_' and '.', the first one a letter or digit."
            )
        }
        return (name, String(word[word.index(after: equals)...]))
    }

    /// Derives a unique name from the source: the name of a file without extension, the name of a device, or the host
    /// of a URI. If this name is taken, a number is appended.
    private static func derived(_ source: String, besides taken: inout Set<String>) -> String {
        let name = derivedName(of: source)
        var (unique, number) = (name, 2)
        while !taken.insert(unique).inserted {
            unique = "\(name)-\(number)"
            number += 1
        }
        return unique
    }

    /// Returns the name of a file without extension, the name of a device, or the host of a URI, as a valid camera name.
    static func derivedName(of source: String) -> String {
        let host = MediaSource.isAddress(source) ? AddressParts(of: source)?.host.prefix { $0 != ":" } : nil
        let base = host.flatMap { $0.isEmpty ? nil : String($0) } ?? PartFile.parts(of: source).stem
        let name = String(base.map { isName("a\($0)") ? $0 : "-" }.prefix(40))
        return isName(name) ? name : "camera"
    }
}

extension CameraPlan {
    mutating func noteFiles() {
        files = settings.compactMap { setting in
            let value = String(setting.word.drop { $0 != "=" }.dropFirst())
            var status = stat()
            guard !value.isEmpty, PathText.withSystemPath(value, { stat($0, &status) }) == 0 else { return nil }
            let time = status.st_mtim
            return "\(setting.word) \(status.st_ino) \(status.st_size) \(time.tv_sec).\(time.tv_nsec)"
        }
    }

    /// Whether the source can be lost and become available again. This is true for all sources except files.
    var isCamera: Bool {
        MediaSource.isAddress(source) && !source.lowercased().hasPrefix("file:")
            || source.hasPrefix("/dev/") && !StandardInput.isPath(source)
    }

    /// The areas and lines of the camera. Empty if the zones cannot be read.
    var countedZones: [Zone] {
        guard let zones = value(of: "zones").flatMap({ try? Zone.list(named: String($0)) }) else { return [] }
        return zones.filter { $0.kind != .ignore }
    }

    func value(of property: String) -> Substring? {
        settings.last { $0.word.hasPrefix(property + "=") }?.word.dropFirst(property.count + 1)
    }

    /// Returns whether a boolean property is true. GStreamer accepts `true`, `t`, `yes` and `1` in any case.
    private func isOn(_ property: String, byDefault value: Bool) -> Bool {
        self.value(of: property).map { ["true", "t", "yes", "1"].contains($0.lowercased()) } ?? value
    }

    /// Whether objects have tracking ids.
    var tracksObjects: Bool { isOn("tracking", byDefault: true) && value(of: "mode") != "single-image" }

    /// Whether the element posts events of tracks.
    var postsTracks: Bool { tracksObjects && isOn("track-events", byDefault: true) }

    /// The labels of the camera's network; `nil` if they are unknown, or for another detector.
    var networkLabels: [String]? {
        guard ["auto", "neural"].contains(value(of: "detector") ?? "auto") else { return nil }
        var configuration = DetectorConfiguration(.neural)
        configuration.modelFile = value(of: "model-file").flatMap { $0.isEmpty ? nil : String($0) }
        configuration.labelFile = value(of: "label-file").flatMap { $0.isEmpty ? nil : String($0) }
        return configuration.knownLabels
    }

    var reidentifies: Bool { isOn("reidentify", byDefault: false) }

    /// Returns whether the plans differ, so that the camera has to be connected again. Plans also differ if a file that
    /// a property names, such as the zones, was modified.
    func differs(from other: CameraPlan) -> Bool {
        source != other.source || isRecorded != other.isRecorded
            || sendsPictures != other.sendsPictures || savesClips != other.savesClips || files != other.files
            || usesGate != other.usesGate
            || settings.map(\.word) != other.settings.map(\.word)
    }

    func redaction() throws -> RedactionRequest? {
        let element = try Pipeline("swiftodt name=swiftodt")["swiftodt"]
        for setting in settings { try setting.set(of: element) }
        return RedactionRequest(of: element)
    }

    /// - Throws: ``PlaybackError`` if a camera records detections without `record-existing=replace`. Each connection
    ///   begins a new recording, so another value would fail at the first reconnection.
    func checkRecordedDetections() throws {
        guard isCamera, value(of: "record-detections")?.isEmpty == false,
            value(of: "record-existing") != "replace"
        else { return }
        throw PlaybackError(
            "\(name): record-detections of a camera needs record-existing=replace, because each connection begins a new "
                + "recording", isUsage: true)
    }

    /// - Throws: ``PlaybackError`` if a property is invalid, if the options about decoding or the properties about the
    ///   recording of detections contradict each other, or if the recording would show objects that the properties
    ///   redact.
    func check(_ options: WatchOptions, warn: (String) -> Void) throws {
        let redaction = try redaction()
        try checkDecoding(options, warn: warn)
        try checkRecordedDetections()
        guard let request = redaction else { return }
        if takesPictures, !request.isStrict {
            throw PlaybackError(
                "\(name): picture=true or clips would show pictures although privacy-strict=false does not guarantee what "
                    + "'\(request.properties)' redacts: leave one of them out", isUsage: true)
        }
        let (records, isAnnotated) = (isRecorded && options.text("record") != nil, options.has("record-annotated"))
        if records, !isAnnotated {
            let fault =
                "\(name): \(options.called("record")) would record the original video with what '\(request.properties)' redacts: "
                + "add --record-annotated, or leave one of them out"
            guard !request.isStrict else {
                throw PlaybackError("\(fault) (privacy-strict=false makes this a warning)", isUsage: true)
            }
            warn(fault)
        } else if !records, !takesPictures, options.text("page") == nil {
            warn(
                "\(name): '\(request.properties)' has no effect: without --page and --record-annotated no video leaves odt watch"
            )
        }
    }

    /// Prepares a text for the log, for messages and for event receivers, see ``AddressParts/discreet(_:of:)``. Line
    /// breaks are replaced by spaces.
    func discreet(_ text: String) -> String {
        AddressParts.discreet(String(text.map { $0.isNewline ? " " : $0 }), of: source)
    }
}

/// A property of the element and, for error messages, the place of its definition.
struct CameraSetting: Sendable {
    /// `NAME=VALUE`
    let word: String
    /// The file and line of the configuration file; `nil` for a property from the command line.
    let place: String?

    init(_ word: String, at place: String? = nil) { (self.word, self.place) = (PropertySetting.canonical(word), place) }

    /// - Throws: ``PlaybackError`` if the property does not exist, rejects the value, or is reserved for `odt watch`.
    func set(of element: Element) throws {
        do {
            if word.hasPrefix("source=") {
                throw PlaybackError("'\(word)': write NAME=SOURCE to name the camera", isUsage: true)
            }
            if word.hasPrefix("message-format=") {
                throw PlaybackError("'\(word)' is not supported here: messages are always JSON", isUsage: true)
            }
            try PropertySetting.set(word, of: element)
        } catch let error as PlaybackError {
            guard let place else { throw error }
            throw PlaybackError("\(place): \(error)", isUsage: error.isUsage)
        }
    }
}
