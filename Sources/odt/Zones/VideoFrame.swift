import Glibc
import ODTPlayback
import SwiftODT

enum VideoFrame {
    /// Returns a frame, turned upright, as a JPEG file. If the video has fewer than `number` frames, returns the last
    /// one.
    ///
    /// - Parameters:
    ///   - number: The number of the frame, starting at 1.
    ///   - orientation: The nick of an orientation; `nil` for that of the video's tag.
    static func jpeg(of video: String, number: Int, orientation: String? = nil) throws -> [UInt8] {
        let place = DataFolders.temporary
        // `mkdtemp` replaces the placeholder by characters that make the name unique.
        let placeholder = String(repeating: "X", count: 6)
        var folder = Array("\(place)/odt-\(placeholder)".utf8CString)
        guard mkdtemp(&folder) != nil else {
            throw ODTError(.failed, "cannot create a folder in \(place): set TMPDIR to a writable folder")
        }
        let path = folder.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        defer {
            for name in PartFile.names(in: path) { unlink("\(path)/\(name)") }
            rmdir(folder)
        }
        let media = try MediaSource(video)
        let source =
            media.path == nil
            ? ["uridecodebin", "uri=\(quoted(video))"]
            : media.isCamera
                ? ["v4l2src", "device=\(quoted(video))", "!", "decodebin"]
                : ["filesrc", "location=\(quoted(media.path ?? video))", "!", "decodebin"]
        // The element identity drops the frame at which it sends end of stream, so `eos-after` is the wanted number
        // plus one. After the end of stream, identity passes further frames from the decoder, some of them damaged.
        // multifilesink keeps the latest 64 files, and the wanted frame is found among them by its index.
        let pipeline =
            source + [
                "!", "identity", "eos-after=\(number + 1)", "!", "videoconvert", "!", "videoflip",
                "video-direction=\(orientation ?? "auto")", "!",
                "videoconvert", "!", "video/x-raw,format=RGB",
                "!", "jpegenc", "quality=85", "!", "multifilesink", "max-files=64",
                "location=\(quoted(path + "/%d"))",
            ]
        // The shell searches `PATH` for the program.
        var program = try ChildProcess(
            "/bin/sh", ["-c", "exec \"$@\" 2>&1", "sh", "gst-launch-1.0", "-q"] + pipeline, readsOutput: true)
        let output = program.output()
        guard try program.exitCode() != 127 else {
            throw ODTError(.failed, "gst-launch-1.0 is not installed; apt install gstreamer1.0-tools")
        }
        let written = PartFile.names(in: path).compactMap { Int($0) }.sorted()
        guard let index = written.last(where: { $0 < number }),
            let bytes = try? FileBytes.read("\(path)/\(index)", limit: 64 << 20), !bytes.isEmpty
        else {
            throw PlaybackError(
                "cannot read a frame from \(media.addressWithoutPassword)"
                    + (media.path == nil ? "" : ": \(cause(output))"),
                media.path == nil ? .fileNotFound : .invalidFile)
        }
        return bytes
    }

    /// Returns the text of the first error in the output of `gst-launch-1.0`.
    private static func cause(_ output: String) -> String {
        let line = output.split(separator: "\n").first { $0.contains("/GstPipeline:") }
        let text = line?.split(separator: "/GstPipeline:").last?.drop { $0 != " " }.dropFirst()
        if text == "Internal data stream error.", output.contains("reason not-linked") { return "it contains no video" }
        return text.map(String.init) ?? "it contains no frame"
    }

    /// Quotes a text for a description in `gst-launch-1.0` syntax.
    private static func quoted(_ text: String) -> String {
        "\"" + text.reduce(into: "") { $0 += $1 == "\"" || $1 == "\\" ? "\\\($1)" : String($1) } + "\""
    }
}
