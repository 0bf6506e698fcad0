import Glibc
import Playback

/// Sends off what was printed: who reads along has the answer about each picture while the next is looked at, and what was found before
/// Ctrl-C is not lost. Ends the program where it cannot be written; nobody else notices a disk that is full.
func flushOutput() {
    guard fflush(nil) == 0 else {
        printError("odt: the answer cannot be written: \(String(cString: strerror(errno)))")
        exit(ExitCode.failure)
    }
}
