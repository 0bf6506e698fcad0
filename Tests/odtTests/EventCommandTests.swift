import Glibc
import ODTTestSupport
import SwiftODT
import Testing

@testable import odt

@Suite("EventCommand")
struct EventCommandTests {
    @Test(arguments: [
        ("notify-send door", "notify-send"), ("TOKEN=s3cret sh -c 'curl x'", "sh"), ("A=1\tB=2 /opt/x", "/opt/x"),
        ("T='a b' U=\"c d\" V=e\\ f\n'my prog' x", "command"), ("T=$(echo s3cret) sh", "command"),
        ("TOKEN=x;curl https://user:pw@host/hook", "command"), ("T=x& curl", "command"), ("T=x|curl", "command"),
        ("T=`s3cret` sh", "command"), ("<s3cret cat", "command"), ("/opt/a=b s3cret", "command"),
        ("T=a\u{A0}s3cret sh", "command"), ("T=http://h:1/a=b,c curl", "curl"), ("https://user:pw@host", "command"),
        ("(T=s3cret sh)", "command"), ("T='s3cret", "command"), ("T=s3cret", "command"), ("", "command"),
    ])
    func nameContainsNoValuesOfVariables(_ command: String, _ program: String) {
        #expect(EventCommand.program(of: command) == program)
    }

    @Test func picturesOfKilledProcessesAreDeleted() throws {
        let folder = try TemporaryFolder()
        let picture = try folder.write("odt-event-aB3dE6.jpg", "")
        let others = try ["odt-street.jpg", "odt-event-aB3dE6.png"].map { try folder.write($0, "") }
        EventCommand.removePictures(in: folder.path, before: time(nil) - 60)
        #expect(PathText.exists(picture))
        EventCommand.removePictures(in: folder.path, before: time(nil) + 60)
        #expect(!PathText.exists(picture))
        #expect(others.allSatisfy(PathText.exists))
    }

    @Test func commandInheritsNoFiles() throws {
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        let event = WatchEvent(camera: "cam", kind: "track", event: "begin", time: 0)
        let command = EventCommand("test -e /proc/$$/fd/2 && test ! -e /proc/$$/fd/\(file)")
        try command.deliver(event, rule: "a", picture: nil)
    }

    /// Each attempt cancels at a later moment of the start of the command.
    @Test(.timeLimit(.minutes(1))) func cancelledCommandEndsAtAnyMoment() {
        for step in 0..<50 {
            let command = EventCommand("sleep 1000")
            let begin = MonotonicClock.now
            DetachedThread.run {
                while MonotonicClock.now - begin < Int64(step) * 50_000 {}
                command.cancel()
            }
            let error = #expect(throws: EventDeliveryError.self) {
                try command.deliver(
                    WatchEvent(camera: "cam", kind: "track", event: "begin", time: 0), rule: "a", picture: nil)
            }
            #expect(["ended by signal 15", "not run"].contains(error?.description))
        }
    }
}
