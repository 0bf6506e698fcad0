import Glibc
import SwiftODT

/// Resolves the operand `-`, which means that standard input is the video or picture.
enum StandardInput {
    private static let path = "/dev/stdin"

    /// - Throws: ``CommandLineError`` if the operand is `-` and standard input is a terminal.
    static func videoPath(of operand: String) throws -> String {
        guard operand == "-" else { return operand }
        try refuseTerminal()
        return path
    }

    static func isPath(_ path: String) -> Bool { path == Self.path }

    static func picture(of operand: String) throws -> Picture {
        guard operand == "-" else { return try Picture(contentsOfFile: operand) }
        try refuseTerminal()
        return try Picture(encoded: ByteStream.read(operand))
    }

    private static func refuseTerminal() throws {
        guard isatty(STDIN_FILENO) == 0 else {
            throw CommandLineError("'-' is standard input, which is a terminal: redirect a file or pipe into it.")
        }
    }
}
