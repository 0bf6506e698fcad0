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

    private let command: String
    private let running = Mutex<pid_t?>(nil)

    init(_ command: String) { self.command = command }

    var name: String { "'\(command.prefix { $0 != " " })'" }

    func deliver(_ event: WatchEvent, rule: String, picture: [UInt8]?) throws {
        let file = try picture.map(Self.write)
        defer { if let file { unlink(file) } }
        let input = try Self.pipe(with: Array((event.json(rule: rule, picture: nil).text + "\n").utf8))
        defer { close(input) }
        let id = try spawn(input, environment: environment(event, rule, file))
        running.withLock { $0 = id }
        let isOver = Self.waits(for: id, until: MonotonicClock.now + Self.timeout)
        // The command has its own process group. A signal to the group also ends the command's children.
        if !isOver { kill(-id, SIGKILL) }
        var status: Int32 = 0
        // `waitpid` releases the process id. The lock prevents ``cancel()`` from signalling another process with the
        // same id.
        if !isOver { Self.waitForEnd(of: id) }
        running.withLock { running in
            waitpid(id, &status, 0)
            running = nil
        }
        guard isOver else {
            throw EventDeliveryError(description: "stopped after \(Self.timeout / 1_000_000_000) s", isFinal: true)
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

    func cancel() { running.withLock { if let id = $0 { kill(-id, SIGTERM) } } }

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
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        guard
            let path = picture.withUnsafeBytes({
                UniqueFile.write($0, named: folder + "/odt-", ending: ".jpg", isOptional: false)
            })
        else {
            throw EventDeliveryError(
                description: "cannot write a picture in \(folder): \(String(cString: strerror(errno)))", isFinal: true)
        }
        return path
    }
}
