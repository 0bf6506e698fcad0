import Glibc
import ODTPlayback
import SwiftODT

/// The names of the outputs of one input. The name `-` is standard output.
struct AnnotationOutputs: Sendable {
    /// The format and the file of one option `--export KIND=FILE`.
    struct Export: Sendable {
        let format: TrackExport.Format
        var name: String

        init(_ word: String) throws {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let kinds = TrackExport.Format.allCases.map(\.rawValue).joined(separator: ", ")
            guard parts.count == 2, let format = TrackExport.Format(rawValue: parts[0]) else {
                throw CommandLineError("--export needs KIND=FILE with one of \(kinds), not '\(word)'.")
            }
            (self.format, name) = (format, parts[1])
        }
    }

    var video: String?
    var messages: String?
    var frameTable: String?
    var trackTable: String?
    var eventTable: String?
    var exports: [Export] = []
    var pictures: String?

    var names: [String] {
        [video, messages, frameTable, trackTable, eventTable].compactMap(\.self) + exports.map(\.name)
    }

    /// The names of all outputs, separated by commas, for a message to the user. `nil` if an output is written to
    /// standard output, where the message would mix with the data.
    var written: String? {
        let all = names + [pictures].compactMap(\.self)
        return all.contains("-") ? nil : all.joined(separator: ", ")
    }

    var exist: Bool {
        (names + [pictures].compactMap(\.self)).contains { name in
            name != "-" && PathText.exists(name)
        }
    }

    var isEmpty: Bool { names.isEmpty && pictures == nil }

    /// - Parameter settings: Properties of the element, as NAME=VALUE.
    /// - Throws: ``PlaybackError`` if an output is an input or a file of the element, if an output exists and must not
    ///   be replaced, or if the folder of an output is missing.
    func check(against source: MediaSource, _ settings: [String], mayReplace: Bool) throws {
        let used = Self.filesOfElement(settings)
        for name in names where name != "-" {
            // A missing folder is not created, because its name may be misspelled.
            let folder = PartFile.parts(of: name).folder
            if !folder.isEmpty, !PathText.exists(folder) {
                throw PlaybackError("\(name): there is no folder \(folder): create it or check the name")
            }
            if source.isFile(name) { throw PlaybackError("\(name) is the input: choose another output file") }
            if let property = used[PartFile.target(of: name)] {
                throw PlaybackError("\(name) is the file of the property \(property): choose another output file")
            }
            var status = stat()
            if PathText.withSystemPath(name, { stat($0, &status) }) == 0,
                ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
            {
                let remedy = name == video ? "choose another output file" : "use '-' for standard output"
                throw PlaybackError("\(name) is not a regular file: \(remedy)")
            }
            if !mayReplace, PathText.exists(name) {
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

extension AnnotationOutputs {
    /// Returns the properties whose value is the name of a file, by the path of the file.
    private static func filesOfElement(_ settings: [String]) -> [String: String] {
        settings.reduce(into: [:]) { files, word in
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, ["zones", "detections-file", "record-detections"].contains(parts[0]) else { return }
            files[PartFile.target(of: parts[1])] = parts[0]
        }
    }
}

/// The output files of one input. The files have temporary names until ``finish()``.
final class AnnotationFiles: Sendable {
    let video: PartFile?
    let messages: TextOutput?
    let frameTable: TextOutput?
    let trackTable: TextOutput?
    let eventTable: TextOutput?
    let exports: [(format: TrackExport.Format, output: TextOutput)]

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
            eventTable = try output(outputs.eventTable)
            exports = try outputs.exports.compactMap { export in
                try output(export.name).map { (export.format, $0) }
            }
        } catch {
            begun.forEach { $0.discard() }
            throw error
        }
    }

    private var files: [PartFile] {
        [messages, frameTable, trackTable, eventTable].compactMap { $0?.file } + exports.compactMap(\.output.file)
            + [video].compactMap(\.self)
    }

    /// Renames all files to their final names. The video is renamed last, so that a program that waits for the video
    /// also finds the tables.
    func finish() throws { try files.forEach { try $0.finish() } }

    func discard() { files.forEach { $0.discard() } }

    /// Text for the log that names the existing unfinished files; empty if there are none.
    var leftBehind: String {
        let there = (video.map { [$0.path] } ?? []) + files.map(\.path).filter { $0 != video?.path }
        let paths = there.filter(PathText.exists)
        return paths.isEmpty ? "" : "\nthe unfinished recording is in \(paths.joined(separator: " and "))"
    }
}

/// Writes lines to a part file, or to standard output for `-`.
final class TextOutput: Sendable {
    let name: String
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
        guard error != EPIPE else { throw BrokenPipe() }
        throw PlaybackError("standard output: \(String(cString: strerror(error)))", .writing(error))
    }
}

struct BrokenPipe: Error {}
