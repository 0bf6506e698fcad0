import Glibc
import Playback

/// Flushes standard output, so that readers receive each result at once and Ctrl-C loses none. Exits with an error
/// if writing fails, for example because the disk is full.
func flushOutput() {
    guard fflush(nil) == 0 else {
        printError("odt: cannot write to standard output: \(String(cString: strerror(errno)))")
        exit(ExitCode.failure)
    }
}
