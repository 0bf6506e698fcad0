import CGStreamer
import SwiftODT

/// Pictures of a camera for one browser, as multipart/x-mixed-replace: each time that it has taken one, the newest that there is. So
/// a slow one gets fewer, and costs the memory of one picture at most. Of the server's thread.
final class PictureStream {
    /// Who takes nothing for so long is not there any more.
    private static let stallTimeout: Nanoseconds = 30_000_000_000

    let camera: String
    private let soup: Soup
    private let server: Soup.Object
    private let message: Soup.Object
    private let pictures: NewestPictures
    private var sent: PagePicture?
    /// Whether something is on its way; where nothing is, libsoup has the message paused.
    private var isBusy = true
    /// When something was taken, or given.
    private var moved = MonotonicClock.now

    init(of camera: String, to message: Soup.Object, of server: Soup.Object, _ soup: Soup, _ pictures: NewestPictures) {
        (self.camera, self.message, self.server, self.soup, self.pictures) = (camera, message, server, soup, pictures)
        g_object_ref(UnsafeMutableRawPointer(message))
        pictures.addViewer(at: camera)
        let first = Array("--\(PagePicture.boundary)\r\n".utf8)
        give(first.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }, isOwned: true)
        let context = Unmanaged.passUnretained(self).toOpaque()
        connect("wrote-chunk", Self.hasTaken, context)
        connect("wrote-body-data", unsafeBitCast(Self.takes, to: SignalHandler.self), context)
    }

    deinit {
        g_signal_handlers_disconnect_matched(
            UnsafeMutableRawPointer(message), G_SIGNAL_MATCH_DATA, 0, 0, nil, nil,
            Unmanaged.passUnretained(self).toOpaque())
        g_object_unref(UnsafeMutableRawPointer(message))
        pictures.removeViewer(at: camera)
    }

    /// A picture has come.
    func offer() {
        if !isBusy, giveNewest() { soup.unpause(server, message) }
    }

    func isStuck(at now: Nanoseconds) -> Bool { isBusy && now - moved > Self.stallTimeout }

    /// Ends it where it waits for a picture; what is on its way ends with the connection.
    func end() {
        guard !isBusy, let body = soup.responseBody(message) else { return }
        isBusy = true
        soup.complete(body)
        soup.unpause(server, message)
    }

    private func giveNewest() -> Bool {
        guard let newest = pictures.newest(of: camera), newest !== sent else { return false }
        sent = newest
        give(newest.part, isOwned: false)
        return true
    }

    private func give(_ bytes: OpaquePointer?, isOwned: Bool) {
        guard let bytes, let body = soup.responseBody(message) else { return }
        soup.append(body, bytes)
        if isOwned { g_bytes_unref(bytes) }
        (isBusy, moved) = (true, MonotonicClock.now)
    }

    // MARK: What libsoup says of the message

    private typealias SignalHandler = @convention(c) (Soup.Object?, UnsafeMutableRawPointer?) -> Void

    private func connect(_ signal: String, _ handler: SignalHandler, _ data: UnsafeMutableRawPointer) {
        g_signal_connect_data(
            UnsafeMutableRawPointer(message), signal, unsafeBitCast(handler, to: GCallback.self), data, nil,
            GConnectFlags(rawValue: 0))
    }

    /// All that was given is with the system. Where nothing new is given here, libsoup pauses.
    private static let hasTaken: SignalHandler = { _, stream in
        guard let stream else { return }
        let this = Unmanaged<PictureStream>.fromOpaque(stream).takeUnretainedValue()
        this.isBusy = false
        _ = this.giveNewest()
    }

    private static let takes: @convention(c) (Soup.Object?, guint, UnsafeMutableRawPointer?) -> Void = { _, _, stream in
        guard let stream else { return }
        Unmanaged<PictureStream>.fromOpaque(stream).takeUnretainedValue().moved = MonotonicClock.now
    }
}
