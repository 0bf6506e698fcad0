import Glibc
import ODTPlayback
import SwiftODT
import Testing

@testable import odt

@Suite("EventURL")
struct EventURLTests {
    private static let hasLibrary = (try? SoupClient()) != nil

    init() throws { try PluginSearch.startGStreamer() }

    /// A URL often contains a secret.
    @Test(.enabled(if: hasLibrary, "no libsoup on this machine"))
    func errorOmitsInvalidURL() {
        let error = #expect(throws: PlaybackError.self) {
            _ = try EventSink([EventRule(commandLine: "https://example.com:port/secret")]) { _ in }
        }
        #expect(
            error?.description == "--on-event: the URL is not valid; use http://HOST/PATH or https://HOST/PATH"
                && error?.isUsage == true)
    }

    private static let event = WatchEvent(camera: "cam", kind: "track", event: "begin", time: 0)

    /// The server has the whole event and would get it twice.
    @Test(.enabled(if: hasLibrary, "no libsoup on this machine"), .timeLimit(.minutes(1)))
    func eventWithoutAnswerIsNotSentAgain() throws {
        // The kernel accepts the connection and the request.
        let socket = try PageSocket(PageAddress("0", called: "--page"), of: "--page")
        defer { close(socket.descriptor) }
        let url = try EventURL("http://127.0.0.1:\(socket.port)/hook", timeout: 1)
        let error = #expect(throws: EventDeliveryError.self) {
            try url.deliver(Self.event, rule: "a", picture: nil)
        }
        #expect(error?.isFinal == true && error?.description == "no complete answer within 1 s")
    }

    /// The time limit begins after the body was sent. The server gets the whole body and does not answer.
    @Test(.enabled(if: hasLibrary, "no libsoup on this machine"), .timeLimit(.minutes(1)))
    func timeForSendingIsNotLimited() throws {
        let socket = try PageSocket(PageAddress("0", called: "--page"), of: "--page")
        defer { close(socket.descriptor) }
        let received = Monitor(Int?.none)
        DetachedThread.run {
            var waiting = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
            while poll(&waiting, 1, -1) < 0 {}
            let connection = accept(socket.descriptor, nil, nil)
            let bytes = try? ByteStream.read(connection, path: "connection")
            close(connection)
            received.update { $0 = bytes?.count ?? 0 }
        }
        let url = try EventURL("http://127.0.0.1:\(socket.port)/hook", answerTime: 0)
        let picture = [UInt8](repeating: 7, count: 12_000_000)
        let error = #expect(throws: EventDeliveryError.self) {
            try url.deliver(Self.event, rule: "a", picture: picture)
        }
        #expect(error?.isFinal == true && error?.description == "no complete answer within 0 s")
        #expect(received.wait { $0 } > picture.count / 3 * 4)
    }
}
