import Glibc
import Playback

/// What is made of one input: names, as long as nothing is written.
struct AnnotationOutputs: Sendable {
    var video: String?
    var messages: String?
    var frameTable: String?
    var trackTable: String?
    /// A folder, for the best picture of each track.
    var pictures: String?

    var names: [String] { [video, messages, frameTable, trackTable].compactMap(\.self) }

    /// All that is written, in a list for people; `nil` where the standard output carries data.
    var written: String? {
        let all = names + [pictures].compactMap(\.self)
        return all.contains("-") ? nil : all.joined(separator: ", ")
    }

    /// Whether one of them is there already.
    var exist: Bool {
        (names + [pictures].compactMap(\.self)).contains { name in
            name != "-" && PathText.isThere(name)
        }
    }

    /// Whether there is nothing at all to write.
    var isEmpty: Bool { names.isEmpty && pictures == nil }

    /// - Throws: ``PlaybackError`` where one is the input itself, or there already and not to be replaced.
    func check(against source: MediaSource, mayReplace: Bool) throws {
        for name in names where name != "-" {
            if source.isFile(name) { throw PlaybackError("\(name) is the input itself: name another file") }
            if !mayReplace, PathText.isThere(name) {
                throw PlaybackError("\(name) is there already: --force replaces it", isUsage: true)
            }
        }
        if let pictures, !mayReplace, !PartFile.names(in: pictures).allSatisfy({ $0 == "." || $0 == ".." }) {
            throw PlaybackError("\(pictures) has files in it: --force puts the pictures beside them", isUsage: true)
        }
        var seen: [String: String] = [:]
        for name in names {
            let target = name == "-" ? name : PartFile.target(of: name)
            if let other = seen.updateValue(name, forKey: target) {
                throw PlaybackError(
                    other == name
                        ? "\(name) is named twice"
                        : "\(other) and \(name) are the same file: name another for one of them",
                    isUsage: true)
            }
        }
    }
}

/// The files that are written while the input plays, on their way to the names that they are to have.
final class AnnotationFiles: Sendable {
    let video: PartFile?
    let messages: TextOutput?
    let frameTable: TextOutput?
    let trackTable: TextOutput?

    /// - Throws: ``PlaybackError`` where one cannot be written; then there is none.
    init(_ outputs: AnnotationOutputs) throws {
        var begun: [PartFile] = []
        func output(_ name: String?) throws -> TextOutput? {
            guard let output = try name.map(TextOutput.init) else { return nil }
            if let file = output.file { begun.append(file) }
            return output
        }
        do {
            let video = try outputs.video.map(PartFile.init)
            if let video { begun.append(video) }
            self.video = video
            messages = try output(outputs.messages)
            frameTable = try output(outputs.frameTable)
            trackTable = try output(outputs.trackTable)
        } catch {
            begun.forEach { $0.discard() }
            throw error
        }
    }

    private var files: [PartFile] {
        [messages, frameTable, trackTable].compactMap { $0?.file } + [video].compactMap(\.self)
    }

    /// Gives all of them their names; the video last, so that who waits for it finds the others there.
    func finish() throws { try files.forEach { try $0.finish() } }

    func discard() { files.forEach { $0.discard() } }

    /// A line that says where the pieces are; empty where there are none.
    var leftBehind: String {
        let there = (video.map { [$0.path] } ?? []) + files.map(\.path).filter { $0 != video?.path }
        let paths = there.filter(PathText.isThere)
        return paths.isEmpty ? "" : "\nwhat was recorded until then is in \(paths.joined(separator: " and "))"
    }
}
