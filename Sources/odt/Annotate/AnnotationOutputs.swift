import Glibc
import Playback

/// The names of the outputs of one input.
struct AnnotationOutputs: Sendable {
    var video: String?
    var messages: String?
    var frameTable: String?
    var trackTable: String?
    /// A folder for the best picture of each track.
    var pictures: String?

    var names: [String] { [video, messages, frameTable, trackTable].compactMap(\.self) }

    /// The names of all outputs, separated by commas, for a message to the user. `nil` if an output is written to
    /// standard output, where the message would mix with the data.
    var written: String? {
        let all = names + [pictures].compactMap(\.self)
        return all.contains("-") ? nil : all.joined(separator: ", ")
    }

    /// Whether at least one output already exists.
    var exist: Bool {
        (names + [pictures].compactMap(\.self)).contains { name in
            name != "-" && PathText.isThere(name)
        }
    }

    /// Whether there is no output.
    var isEmpty: Bool { names.isEmpty && pictures == nil }

    /// - Throws: ``PlaybackError`` if an output is the input itself, or exists and must not be replaced.
    func check(against source: MediaSource, mayReplace: Bool) throws {
        for name in names where name != "-" {
            if source.isFile(name) { throw PlaybackError("\(name) is the input: choose another output file") }
            if !mayReplace, PathText.isThere(name) {
                throw PlaybackError("\(name) already exists: use --force to replace it", isUsage: true)
            }
        }
        if let pictures, !mayReplace, !PartFile.names(in: pictures).allSatisfy({ $0 == "." || $0 == ".." }) {
            throw PlaybackError("\(pictures) is not empty: use --force to add pictures to it", isUsage: true)
        }
        var seen: [String: String] = [:]
        for name in names {
            let target = name == "-" ? name : PartFile.target(of: name)
            if let other = seen.updateValue(name, forKey: target) {
                throw PlaybackError(
                    other == name
                        ? "\(name) is named twice: choose different files"
                        : "\(other) and \(name) are the same file: choose different files",
                    isUsage: true)
            }
        }
    }
}

/// The output files of one input. The files have temporary names until ``finish()``.
final class AnnotationFiles: Sendable {
    let video: PartFile?
    let messages: TextOutput?
    let frameTable: TextOutput?
    let trackTable: TextOutput?

    /// - Throws: ``PlaybackError`` if a file cannot be created. In that case the files created before are deleted.
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

    /// Renames all files to their final names. The video is renamed last, so that a program that waits for the video
    /// also finds the tables.
    func finish() throws { try files.forEach { try $0.finish() } }

    func discard() { files.forEach { $0.discard() } }

    /// Text for the log that names the existing unfinished files; empty if there are none.
    var leftBehind: String {
        let there = (video.map { [$0.path] } ?? []) + files.map(\.path).filter { $0 != video?.path }
        let paths = there.filter(PathText.isThere)
        return paths.isEmpty ? "" : "\nthe recording until then is in \(paths.joined(separator: " and "))"
    }
}

/// Writes lines to a part file, or to standard output for `-`.
final class TextOutput: Sendable {
    let name: String
    /// The file; `nil` for standard output.
    let file: PartFile?

    init(_ name: String) throws {
        self.name = name
        file = name == "-" ? nil : try PartFile(name)
    }

    /// - Throws: ``PlaybackError``, or ``BrokenPipe`` if the reader closed the pipe.
    func write(_ text: String) throws {
        if let file { return try file.write(text) }
        var text = text
        let (_, error) = text.withUTF8 { DescriptorWriting.write(UnsafeRawBufferPointer($0), to: STDOUT_FILENO) }
        guard let error else { return }
        throw error == EPIPE ? BrokenPipe() : PlaybackError("standard output: \(String(cString: strerror(error)))")
    }
}

/// The error that the reader of standard output has closed the pipe.
struct BrokenPipe: Error {}
