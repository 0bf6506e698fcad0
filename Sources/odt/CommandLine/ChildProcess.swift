import CODTGStreamer
import CODTLinux
import Glibc
import SwiftODT

struct ChildProcess {
    private let id: pid_t
    /// The read end of the pipe to the program's standard output; `nil` if the output is not captured.
    private var answer: Int32?

    /// Starts a program. The program inherits the standard streams that are not captured or discarded.
    ///
    /// - Parameter readsOutput: Whether standard output is captured and standard error is discarded.
    init(_ path: String, _ arguments: [String], readsOutput: Bool = false) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var ends: [Int32] = [-1, -1]
        if readsOutput {
            guard linux_pipe2(&ends, O_CLOEXEC) == 0 else { throw ChildProcessError(path, errno) }
            posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        var words = ([path] + arguments).map { PathText.withSystemPath($0) { strdup($0) } } + [nil]
        defer { words.forEach { free($0) } }
        var id: pid_t = 0
        fflush(nil)
        let status = posix_spawn(&id, path, &actions, nil, &words, environ)
        if readsOutput { close(ends[1]) }
        guard status == 0 else {
            if readsOutput { close(ends[0]) }
            throw ChildProcessError(path, status)
        }
        self.id = id
        answer = readsOutput ? ends[0] : nil
    }

    mutating func output() -> String {
        guard let answer else { return "" }
        defer {
            close(answer)
            self.answer = nil
        }
        return String(decoding: (try? ByteStream.read(answer, path: "")) ?? [], as: UTF8.self)
    }

    /// Waits for the process to end. If a signal ended it, the exit code is 128 plus the signal's number, as in a
    /// shell.
    func exitCode() throws -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { throw ChildProcessError("a child process", errno) }
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}

struct ChildProcessError: Error, CustomStringConvertible {
    let description: String

    init(_ path: String, _ number: Int32) {
        description = "cannot run \(path): \(String(cString: strerror(number)))"
    }
}

enum FileDigest {
    /// Returns the hash in hexadecimal.
    static func sha256(_ path: String) throws -> String {
        let sum = g_checksum_new(G_CHECKSUM_SHA256)
        defer { g_checksum_free(sum) }
        try ByteStream.forEachBlock(of: path) { block in
            block.withUnsafeBufferPointer { g_checksum_update(sum, $0.baseAddress, $0.count) }
        }
        return String(cString: g_checksum_get_string(sum))
    }
}
