import Glibc
import SwiftODT

/// Resolves the operand `-`, which means that standard input is the video or picture.
enum StandardInput {
    private static let path = "/dev/stdin"

    /// Returns the path to open for a video operand.
    ///
    /// - Throws: ``CommandLineError`` if the operand is `-` and standard input is a terminal.
    static func videoPath(of operand: String) throws -> String {
        guard operand == "-" else { return operand }
        try refuseTerminal()
        return path
    }

    /// Returns whether a path is that of standard input.
    static func isPath(_ path: String) -> Bool { path == Self.path }

    /// Reads the picture that an operand names.
    ///
    /// - Throws: ``ODTError`` if the picture cannot be read or decoded; ``CommandLineError`` if the operand is `-` and
    ///   standard input is a terminal.
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
