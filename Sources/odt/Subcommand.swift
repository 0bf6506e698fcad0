import Glibc
import Playback

/// One thing `odt` can do.
struct Subcommand: Sendable {
    let name: String
    /// One line for the overview.
    let summary: String
    /// What `--help` prints.
    let help: String
    /// Does it; gets the words after the subcommand's name and gives the process's exit code.
    let work: @Sendable (_ arguments: [String]) throws -> Int32

    /// Does it, and says what went wrong.
    func run(_ arguments: [String]) -> Int32 {
        do {
            return try work(arguments)
        } catch is HelpRequest {
            print(help)
            return ExitCode.success
        } catch let error as CommandLineError {
            printError("odt \(name): \(error)\n'odt \(name) --help' tells how it is used.")
            return ExitCode.usage
        } catch {
            printError("odt \(name): \(error)")
            return ExitCode.failure
        }
    }
}

/// What the process tells its caller.
enum ExitCode {
    static let success: Int32 = 0
    /// The work could not be done.
    static let failure: Int32 = 1
    /// The command line was not understood.
    static let usage: Int32 = 2
}

/// Writes a line to standard error.
func printError(_ text: String) {
    let line = text + "\n"
    _ = PathText.bytes(of: line).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Writes a line to standard output that nobody needs: unlike ``flushOutput()`` it ignores a failure.
func inform(_ text: String) {
    let line = text + "\n"
    _ = PathText.bytes(of: line).withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

/// A text with spaces behind it up to a width.
func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
