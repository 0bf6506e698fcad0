import CODTLinux
import Glibc
import ODTPlayback
import SwiftODT
import Synchronization

/// Runs a command for each event. The command receives the event as JSON on standard input and as environment
/// variables.
final class EventCommand: EventDelivery {
    /// The maximum duration of a command in nanoseconds.
    private static let timeout: Nanoseconds = 60_000_000_000

    /// The beginning of the names of temporary pictures. Six characters and `.jpg` follow.
    private static let pictureName = "odt-event-"

    private struct Running {
        var id: pid_t?
        var picture: String?
        var isCancelled = false
    }

    private let command: String
    private let running = Mutex(Running())

    init(_ command: String) {
        self.command = command
        // A command that another process of this user runs may still need its picture.
        Self.removePictures(in: DataFolders.temporary, before: time(nil) - time_t(2 * Self.timeout / 1_000_000_000))
    }

    var name: String { "'\(Self.program(of: command))'" }

    /// Returns the first word of a shell command that is not an assignment, because the value of a variable can be a
    /// secret. Returns the text "command" if this word, or one before it, contains quotes or other special characters
    /// of the shell.
    static func program(of command: String) -> String {
        let assignment = /[A-Za-z_][A-Za-z0-9_]*=[\w.,:@%+=\/~-]*/
        let words = command.split(omittingEmptySubsequences: true) { " \t\n".contains($0) }
        let word = words.first { $0.wholeMatch(of: assignment) == nil }
        return word?.wholeMatch(of: /[\w.+\/~-]+/).map { String($0.output) } ?? "command"
    }

    /// Deletes the pictures of this user that a killed process left behind.
    static func removePictures(in folder: String, before time: time_t) {
        for name in PartFile.names(in: folder) where name.hasPrefix(pictureName) && name.hasSuffix(".jpg") {
            var status = stat()
            guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_uid == geteuid(), status.st_mtim.tv_sec < time
            else { continue }
            unlink("\(folder)/\(name)")
        }
    }

    func deliver(_ event: WatchEvent, rule: String, picture: [UInt8]?) throws {
        let file = try running.withLock { running in
            guard !running.isCancelled else { throw EventDeliveryError(description: "not run", isFinal: true) }
            let file = try picture.map(Self.write)
            running.picture = file
            return file
        }
        defer { if let file { unlink(file) } }
        let input = try Self.pipe(with: Array((event.json(rule: rule, picture: nil).text + "\n").utf8))
        defer { close(input) }
        let id = try spawn(input, environment: environment(event, rule, file))
        running.withLock { running in
            running.id = id
            // ``cancel()`` may have been called while the command was started.
            if running.isCancelled { kill(-id, SIGTERM) }
        }
        let isOver = Self.waits(for: id, until: MonotonicClock.now + Self.timeout)
        // The command has its own process group. A signal to the group also ends the command's children.
        if !isOver { kill(-id, SIGKILL) }
        var status: Int32 = 0
        // `waitpid` releases the process id. The lock prevents ``cancel()`` from signalling another process with the
        // same id.
        if !isOver { Self.waitForEnd(of: id) }
        running.withLock { running in
            waitpid(id, &status, 0)
            running.id = nil
        }
        guard isOver else {
            throw EventDeliveryError(
                description: "stopped after \(Self.timeout / 1_000_000_000) s", isFinal: true, isTimeout: true)
        }
        guard status != 0 else { return }
        let text = status & 0x7f == 0 ? "exit code \(status >> 8 & 0xff)" : "ended by signal \(status & 0x7f)"
        throw EventDeliveryError(description: text, isFinal: true)
    }

    /// Waits until a process has ended or a monotonic time has come, and returns whether the process has ended. The
    /// process is not reaped, so its id remains valid.
    private static func waits(for id: pid_t, until deadline: Nanoseconds) -> Bool {
        let hasEnded = Monitor(false)
        let isStarted = DetachedThread.run {
            waitForEnd(of: id)
            hasEnded.update { $0 = true }
        }
        // If no thread can be started, there is no time limit.
        guard isStarted else {
            waitForEnd(of: id)
            return true
        }
        return hasEnded.wait(until: deadline) { $0 ? true : nil } ?? false
    }

    private static func waitForEnd(of id: pid_t) {
        var result = siginfo_t()
        while waitid(P_PID, id_t(id), &result, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    func cancel() {
        running.withLock { running in
            running.isCancelled = true
            if let id = running.id { kill(-id, SIGTERM) }
            // The process may end before the other thread deletes the picture.
            if let picture = running.picture { unlink(picture) }
        }
    }

    private func environment(_ event: WatchEvent, _ rule: String, _ file: String?) -> [String] {
        var variables = [
            "ODT_RULE": rule, "ODT_CAMERA": event.camera, "ODT_KIND": event.kind, "ODT_EVENT": event.event,
        ]
        variables["ODT_TIME"] = "\(event.time / 1_000_000)"
        (variables["ODT_ZONE"], variables["ODT_LABEL"]) = (event.zone, event.label)
        (variables["ODT_DIRECTION"], variables["ODT_REASON"]) = (event.direction, event.reason)
        variables["ODT_ID"] = event.id.map { "\($0)" }
        variables["ODT_DWELL"] = event.dwell.map { "\(Double($0 / 1_000_000) / 1000)" }
        variables["ODT_COUNT"] = event.count.map { "\($0)" }
        variables["ODT_PICTURE"] = file
        return variables.map { "\($0.key)=\($0.value)" }
    }

    private func spawn(_ input: Int32, environment: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        // This program writes lines of JSON to standard output, so the output of the command goes to standard error.
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        // GStreamer opens files and sockets that would be inherited.
        linux_posix_spawn_addclosefrom(&actions, STDERR_FILENO + 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This program blocks and ignores signals, which the command must not inherit.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP)
        posix_spawnattr_setflags(&attributes, flags)
        var words = ["/bin/sh", "-c", command].map { word in PathText.withSystemPath(word) { strdup($0) } } + [nil]
        var variables = environment.map { strdup($0) }
        defer { for word in words + variables { free(word) } }
        for place in sequence(first: 0, next: { $0 + 1 }) {
            guard let variable = environ[place] else { break }
            if strncmp(variable, "ODT_", 4) != 0 { variables.append(strdup(variable)) }
        }
        variables.append(nil)
        var id: pid_t = 0
        let status = posix_spawn(&id, "/bin/sh", &actions, &attributes, &words, &variables)
        guard status == 0 else {
            throw EventDeliveryError(
                description: "cannot run a shell: \(String(cString: strerror(status)))", isFinal: true)
        }
        return id
    }

    /// Returns the read end of a pipe that already contains the bytes. A command that does not read them therefore
    /// cannot block this thread.
    private static func pipe(with bytes: [UInt8]) throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard linux_pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else {
            throw EventDeliveryError(description: String(cString: strerror(errno)), isFinal: false)
        }
        defer { close(ends[1]) }
        guard Glibc.write(ends[1], bytes, bytes.count) == bytes.count else {
            close(ends[0])
            throw EventDeliveryError(description: "the event is too long for a pipe", isFinal: true)
        }
        // The command reads in blocking mode.
        _ = fcntl(ends[0], F_SETFL, 0)
        return ends[0]
    }

    /// Writes a picture to a temporary file that only this user can read.
    private static func write(_ picture: [UInt8]) throws -> String {
        let folder = DataFolders.temporary
        guard
            let path = picture.withUnsafeBytes({
                UniqueFile.write($0, named: "\(folder)/\(pictureName)", ending: ".jpg")
            })
        else {
            throw EventDeliveryError(
                description: "cannot write a picture in \(folder): \(String(cString: strerror(errno)))", isFinal: true)
        }
        return path
    }

}
