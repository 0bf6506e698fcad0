import Glibc
import Playback

/// One camera as it is asked for: `front=rtsp://192.168.1.20/stream1`.
struct CameraPlan: Sendable {
    var name: String
    /// A file, an address or a device.
    var source: String
    /// In their order: a later one outdoes an earlier one.
    var settings: [CameraSetting] = []
    /// Whether its video is kept, if any is.
    var isRecorded = true

    init(name: String, source: String) { (self.name, self.source) = (name, source) }

    /// Cameras as the words of a command line name them, each with a name of its own.
    ///
    /// - Parameter others: names that are taken.
    /// - Throws: ``CommandLineError`` where two have the same name.
    static func list(_ words: [String], besides others: [String]) throws -> [CameraPlan] {
        let named = try words.map { word -> (name: String?, source: String) in
            guard let (name, source) = split(word) else { return (nil, word) }
            guard !source.isEmpty else { throw CommandLineError("'\(word)' names no source.") }
            return (name, source)
        }
        var taken = Set(others)
        for case let name? in named.map(\.name) where !taken.insert(name).inserted {
            throw CommandLineError("two cameras are called '\(name)'.")
        }
        return named.map { name, source in
            if let name { return CameraPlan(name: name, source: source) }
            let name = derived(source, besides: &taken)
            return CameraPlan(name: name, source: source)
        }
    }

    /// Whether a camera can be called that: names become names of files and topics.
    static func isName(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter || first.isNumber, text.utf8.count <= 64 else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
    }

    /// NAME=SOURCE, unless that is the name of a file or an address with an equals sign in it.
    private static func split(_ word: String) -> (name: String, source: String)? {
        guard let equals = word.firstIndex(of: "="), isName(String(word[..<equals])), !PathText.isThere(word) else {
            return nil
        }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    /// A file's name without its ending, a device's, or an address's host; with a number where that is taken.
    private static func derived(_ source: String, besides taken: inout Set<String>) -> String {
        let base = MediaSource.isAddress(source) ? host(of: source) : PartFile.parts(of: source).stem
        var name = String(base.map { isName("a\($0)") ? $0 : "-" }.prefix(40))
        if !isName(name) { name = "camera" }
        var (unique, number) = (name, 2)
        while !taken.insert(unique).inserted {
            unique = "\(name)-\(number)"
            number += 1
        }
        return unique
    }

    private static func host(of address: String) -> String {
        let parts = address.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.count > 1 else { return "camera" }
        let place = parts[1].split(separator: "@").last ?? parts[1]
        return String(place.prefix { $0 != ":" && $0 != "?" })
    }
}

extension CameraPlan {
    /// Whether it may go away and come back: what is no file.
    var isCamera: Bool { MediaSource.isAddress(source) || source.hasPrefix("/dev/") }

    /// - Throws: ``PlaybackError`` where a property cannot be set so, or where the recording would show what the properties redact.
    func check(_ options: WatchOptions, warn: (String) -> Void) throws {
        let element = try Pipeline("swiftodt name=swiftodt")["swiftodt"]
        for setting in settings { try setting.set(of: element) }
        guard let request = RedactionRequest(of: element) else { return }
        let (records, isAnnotated) = (isRecorded && options.text("record") != nil, options.has("record-annotated"))
        if records, !isAnnotated {
            let fault =
                "\(name): \(options.called("record")) records the camera's own video, which shows what '\(request.word)' redacts: add "
                + "--record-annotated, or leave one of them out"
            guard !request.isStrict else {
                throw PlaybackError("\(fault) (privacy-strict=false makes this a warning)", isUsage: true)
            }
            warn(fault)
        } else if !records, options.text("page") == nil {
            warn(
                "\(name): '\(request.word)' has no effect: without --page and --record-annotated no picture leaves odt watch"
            )
        }
    }

    /// A sentence as it may stand in a log: on one line, and without what comes before the @ of the camera's address.
    func discreet(_ text: String) -> String {
        let text = String(text.map { $0.isNewline ? " " : $0 })
        guard MediaSource.isAddress(source), let at = source.lastIndex(of: "@"),
            let slashes = source.firstIndex(of: "/"), source[slashes...].hasPrefix("//")
        else { return text }
        let begin = source.index(slashes, offsetBy: 2)
        guard begin < at else { return text }
        let secret = source[begin...at]
        var (rest, discreet) = (text[...], "")
        while let place = rest.indices.first(where: { rest[$0...].hasPrefix(secret) }) {
            discreet += rest[..<place]
            rest = rest[place...].dropFirst(secret.count)
        }
        return discreet + rest
    }
}
