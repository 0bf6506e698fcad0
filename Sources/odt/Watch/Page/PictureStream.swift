import CODTGStreamer
import SwiftODT

/// A stream of a camera's pictures to one browser (`multipart/x-mixed-replace`). After each picture was written, the
/// newest picture is sent next. A slow browser thus receives fewer pictures, and at most one picture is buffered. Use
/// it only on the server's thread.
final class PictureStream {
    /// The maximum time in nanoseconds without progress while data is waiting to be written. After this time the client
    /// is disconnected.
    private static let stallTimeout: Nanoseconds = 30_000_000_000

    let camera: String
    private let soup: Soup
    private let server: Soup.Object
    private let message: Soup.Object
    private let pictures: NewestPictures
    private var sent: PagePicture?
    /// Whether a picture is being written. If not, libsoup has paused the message.
    private var isBusy = true
    /// The monotonic time at which data was last written or queued.
    private var moved = MonotonicClock.now

    init(of camera: String, to message: Soup.Object, of server: Soup.Object, _ soup: Soup, _ pictures: NewestPictures) {
        (self.camera, self.message, self.server, self.soup, self.pictures) = (camera, message, server, soup, pictures)
        g_object_ref(UnsafeMutableRawPointer(message))
        pictures.addViewer(at: camera)
        let first = Array("--\(PagePicture.boundary)\r\n".utf8)
        give(first.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }, isOwned: true)
        let context = Unmanaged.passUnretained(self).toOpaque()
        Soup.connect(message, "wrote-chunk", Self.chunkWritten, context)
        Soup.connect(message, "wrote-body-data", Self.dataWritten, context)
    }

    deinit {
        g_signal_handlers_disconnect_matched(
            UnsafeMutableRawPointer(message), G_SIGNAL_MATCH_DATA, 0, 0, nil, nil,
            Unmanaged.passUnretained(self).toOpaque())
        g_object_unref(UnsafeMutableRawPointer(message))
        pictures.removeViewer(at: camera)
    }

    /// Sends the newest picture if it is fresh and was not sent yet. Does nothing while another picture is being
    /// written.
    func offer() {
        if !isBusy, giveNewest() { soup.unpause(server, message) }
    }

    func isStuck(at now: Nanoseconds) -> Bool { isBusy && now - moved > Self.stallTimeout }

    /// Ends the stream if it waits for a new picture. If a picture is being written, the stream ends only when the
    /// connection is closed.
    func end() {
        guard !isBusy, let body = soup.responseBody(message) else { return }
        isBusy = true
        soup.complete(body)
        soup.unpause(server, message)
    }

    private func giveNewest() -> Bool {
        guard let newest = pictures.fresh(of: camera), newest !== sent else { return false }
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

    // MARK: Signals of the message

    /// Called when all queued data was written. If the newest picture is fresh and was not sent yet, queues this
    /// picture. Otherwise libsoup pauses the message.
    private static let chunkWritten: @convention(c) (Soup.Object?, UnsafeMutableRawPointer?) -> Void = { _, stream in
        guard let stream else { return }
        let this = Unmanaged<PictureStream>.fromOpaque(stream).takeUnretainedValue()
        this.isBusy = false
        _ = this.giveNewest()
    }

    /// Called when some data was written.
    private static let dataWritten: @convention(c) (Soup.Object?, guint, UnsafeMutableRawPointer?) -> Void = {
        _, _, stream in
        guard let stream else { return }
        Unmanaged<PictureStream>.fromOpaque(stream).takeUnretainedValue().moved = MonotonicClock.now
    }
}
