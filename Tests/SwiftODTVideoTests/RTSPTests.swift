import Glibc
import SwiftODT
import SwiftODTVideo
import Testing

/// Tests loops over RTSP streams.
@Suite struct RTSPTests {
    private static let options: VideoOptions = {
        var options = VideoOptions(multipleObjects: true, detector: .motion)
        options.trackMinimumHits = 1
        options.includesFrames = true
        return options
    }()

    @Test(.enabled(if: RTSPServer.isAvailable, "needs libgstrtspserver-1.0-0"), .timeLimit(.minutes(15)))
    func framesArriveUntilTheStreamEnds() async throws {
        let server = try RTSPServer(frames: 90)
        defer { server.stop() }
        var (frames, hasObject) = (0, false)
        var ids: Set<Int> = []
        for try await result in VideoObjects(of: VideoSource(server.address), options: Self.options) {
            frames += (result.frame == nil ? 0 : 1) + result.droppedResults
            hasObject = hasObject || !result.visibleObjects.isEmpty
            ids.formUnion(result.visibleObjects.compactMap(\.trackingID))
        }
        // The first frames are sent before the client is ready.
        #expect((60...90).contains(frames) && hasObject && ids.count == 1, "\(frames) frames, ids \(ids)")
    }

    @Test(.enabled(if: RTSPServer.isAvailable, "needs libgstrtspserver-1.0-0"), .timeLimit(.minutes(15)))
    func cancelledTaskEndsTheLoop() async throws {
        let server = try RTSPServer(frames: -1)
        defer { server.stop() }
        let (started, begun) = AsyncStream<Void>.makeStream()
        let task = Task {
            for try await _ in VideoObjects(of: VideoSource(server.address), options: Self.options) { begun.yield() }
        }
        for await _ in started { break }
        task.cancel()
        try await task.value
    }

    @Test(.timeLimit(.minutes(15)))
    func cancelledTaskEndsTheLoopOverASilentServer() async throws {
        let listener = try Listener()
        let task = Task {
            for try await _ in VideoObjects(of: .media(listener.address), options: Self.options) {}
        }
        // Without the cancellation, the source gives up after 20 s and the loop throws. Other tests can occupy all threads
        // of the concurrency pool for longer than this, so the task is cancelled on another thread.
        DetachedThread.run {
            listener.waitForClient()
            task.cancel()
        }
        try await task.value
    }

    @Test(.enabled(if: RTSPServer.isAvailable, "needs libgstrtspserver-1.0-0"), .timeLimit(.minutes(15)))
    func errorOfUnknownPathNamesTheAddress() async throws {
        let server = try RTSPServer(frames: -1)
        defer { server.stop() }
        let address = server.address.replacing("/ball", with: "/none")
        let error = await Self.error(of: address.replacing("//", with: "//user:secret@"))
        #expect(
            error
                == "cannot play \(address): Not Found (404); check the address and that its server can be reached")
    }

    @Test(.timeLimit(.minutes(15)))
    func errorOfUnreachableServerNamesTheAddress() async throws {
        let address = try Listener().address
        let error = await Self.error(of: address)
        #expect(error?.hasPrefix("cannot play \(address): ") == true, "\(error ?? "no error")")
    }

    /// Returns the text of the error that ends the loop.
    private static func error(of address: String) async -> String? {
        do {
            for try await _ in VideoObjects(of: .media(address), options: options) {}
            return nil
        } catch {
            return "\(error)"
        }
    }
}

/// A TCP port on this machine that accepts connections and never answers. It is closed with its owner.
private final class Listener: Sendable {
    private let descriptor: Int32
    let address: String

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(descriptor, name, size) == 0 && listen(descriptor, 4) == 0
                    && getsockname(descriptor, name, &size) == 0
            }
        }
        address = "rtsp://127.0.0.1:\(UInt16(bigEndian: name.sin_port))/camera"
        try #require(isListening)
    }

    deinit { close(descriptor) }

    /// Blocks the thread until a client has connected.
    func waitForClient() {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, -1) < 0 {}
    }
}
