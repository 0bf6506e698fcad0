import Glibc
import SwiftODT

/// Resolves the operand `-`, which means that standard input is the video or picture.
enum StandardInput {
    private static let path = "/dev/stdin"

    /// - Throws: ``CommandLineError`` if the operand is `-` and standard input is a terminal or another device.
    static func videoPath(of operand: String) throws -> String {
        guard operand == "-" else { return operand }
        try refuseDevice()
        return path
    }

    static func isPath(_ path: String) -> Bool { path == Self.path }

    static func picture(of operand: String) throws -> Picture {
        guard operand == "-" else { return try Picture(contentsOfFile: operand) }
        try refuseDevice()
        return try Picture(encoded: ByteStream.read(operand))
    }

    /// In services and `cron`, standard input is `/dev/null`. GStreamer would open this device as a camera.
    private static func refuseDevice() throws {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return }
        let state = isatty(STDIN_FILENO) != 0 ? "a terminal" : "empty or a device"
        throw CommandLineError("'-' is standard input, which is \(state): redirect a file or pipe into it.")
    }
}
