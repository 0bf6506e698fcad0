import Glibc
import ODTPlayback
import SwiftODT

struct Subcommand: Sendable {
    let name: String
    let summary: String
    let help: String
    /// Runs the subcommand with the arguments after its name and returns the exit code.
    let work: @Sendable (_ arguments: [String]) throws -> Int32

    /// Runs the subcommand and prints its help or error.
    func run(_ arguments: [String]) -> Int32 {
        do {
            return try work(arguments)
        } catch is HelpRequest {
            print(help)
            return ExitCode.success
        } catch let error as CommandLineError {
            printError("odt \(name): \(error)\nRun 'odt \(name) --help' for usage.")
            return ExitCode.usage
        } catch {
            printError("odt \(name): \(error)")
            return ExitCode.of(error)
        }
    }
}

/// Converts a ``PlaybackError`` about invalid input from the user to a ``CommandLineError``.
func convertingUsageErrors<Answer>(_ body: () throws -> Answer) throws -> Answer {
    do { return try body() } catch let error as PlaybackError where error.isUsage {
        throw CommandLineError(error.description)
    }
}

/// Converts the error of a missing model, which gets the exit code of the machine and not that of an input.
func convertingModelErrors<Answer>(_ body: () throws -> Answer) throws -> Answer {
    do { return try body() } catch let error as ODTError where error.reason == .fileNotFound {
        throw ODTError(.runtimeMissing, error.description)
    }
}

enum ExitCode {
    static let success: Int32 = 0
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    /// Every input fails, because something is missing on the machine or a limit is reached.
    static let machine: Int32 = 3
    /// The input cannot be read at present, for example because its decoder is not installed.
    static let input: Int32 = 4

    /// Returns the code of a failed playback.
    static func of(_ reason: ODTError.Reason?) -> Int32 {
        if reason?.concernsEveryInput == true { return machine }
        return reason == .fileNotFound ? input : failure
    }

    static func of(_ error: any Error) -> Int32 {
        if let error = error as? PlaybackError { return of(error.reason) }
        // In other errors, `fileNotFound` is about a file that is no input, for example a file of zones.
        return (error as? ODTError)?.reason.concernsEveryInput == true ? machine : failure
    }
}

func printError(_ text: String) {
    let line = text + "\n"
    _ = PathText.bytes(of: line).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Writes an informational line to standard output. Write errors are ignored, unlike in ``flushOutput()``.
func inform(_ text: String) {
    let line = text + "\n"
    _ = PathText.bytes(of: line).withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

/// Flushes standard output, so that readers receive each result at once and Ctrl-C loses no result. Ends the program if
/// writing fails, for example because the disk is full.
func flushOutput() {
    guard fflush(nil) == 0 else {
        printError("odt: cannot write to standard output: \(String(cString: strerror(errno)))")
        exit(ExitCode.failure)
    }
}
