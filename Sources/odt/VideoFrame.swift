import Glibc
import SwiftODT

/// One frame of whatever GStreamer can read.
enum VideoFrame {
    /// A frame as a JPEG file's bytes, upright; the last one where there are fewer.
    ///
    /// - Parameter video: a file or an address.
    /// - Throws: ``ODTError`` that says what is missing.
    static func jpeg(of video: String, number: Int) throws -> [UInt8] {
        let place = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // What mkdtemp replaces by something that nothing there is called.
        let placeholder = String(repeating: "X", count: 6)
        var folder = Array("\(place)/odt-\(placeholder)".utf8CString)
        guard mkdtemp(&folder) != nil else {
            throw ODTError(.failed, "no folder can be made in \(place): set TMPDIR to one that can be written to")
        }
        let file = folder.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" } + "/frame.jpg"
        defer {
            unlink(file)
            rmdir(folder)
        }
        let isAddress = video.contains("://")
        if !isAddress, access(video, R_OK) != 0 { throw ODTError(.fileNotFound, "\(video) cannot be read") }
        let source =
            isAddress
            ? ["uridecodebin", "uri=\(quoted(video))"] : ["filesrc", "location=\(quoted(video))", "!", "decodebin"]
        let pipeline =
            source + [
                "!", "identity", "eos-after=\(number)", "!", "videoflip", "video-direction=auto", "!", "videoconvert",
                "!",
                "jpegenc", "quality=85", "!", "multifilesink", "location=\(quoted(file))",
            ]
        // Found as a shell finds it. Its complaints are the user's.
        let code = try ChildProcess("/usr/bin/env", ["gst-launch-1.0", "-q"] + pipeline).exitCode()
        guard code != 127 else {
            throw ODTError(.failed, "gst-launch-1.0 is not installed; it comes with Debian's gstreamer1.0-tools")
        }
        guard let bytes = try? FileBytes.read(file, limit: 64 << 20), !bytes.isEmpty else {
            throw ODTError(.invalidFile, "no frame can be read from \(video)")
        }
        return bytes
    }

    /// As GStreamer's descriptions of pipelines have texts.
    private static func quoted(_ text: String) -> String {
        "\"" + text.reduce(into: "") { $0 += $1 == "\"" || $1 == "\\" ? "\\\($1)" : String($1) } + "\""
    }
}
