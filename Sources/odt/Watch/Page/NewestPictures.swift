import CODTGStreamer
import SwiftODT
import Synchronization

/// A JPEG picture for browsers. All connections share the memory of its bytes.
///
/// `@unchecked Sendable`: `GBytes` is immutable, and its reference count is atomic.
final class PagePicture: @unchecked Sendable {
    static let boundary = "odt-picture"

    /// The picture as a part of a multipart stream. The part includes the boundary after the picture, because browsers
    /// show a picture only after they receive this boundary.
    let part: OpaquePointer
    /// The JPEG file without the multipart header and boundary.
    let file: OpaquePointer
    /// The monotonic time at which the picture was made.
    let time = MonotonicClock.now

    init(_ jpeg: [UInt8]) {
        let head = Array("Content-Type: image/jpeg\r\nContent-Length: \(jpeg.count)\r\n\r\n".utf8)
        let bytes = head + jpeg + Array("\r\n--\(Self.boundary)\r\n".utf8)
        part = bytes.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        file = g_bytes_new_from_bytes(part, gsize(head.count), gsize(jpeg.count))
    }

    deinit {
        g_bytes_unref(file)
        g_bytes_unref(part)
    }
}

/// The newest picture of each camera, and whether a client requests pictures of the camera. Cameras encode pictures
/// only while a client requests them.
final class NewestPictures: Sendable {
    /// The maximum age in nanoseconds of a picture that is sent without waiting for a new one.
    private static let maximumAge: Nanoseconds = 500_000_000

    private struct Slot {
        var picture: PagePicture?
        /// The number of picture streams of this camera that are being sent to clients.
        var viewerCount = 0
        /// Whether a client waits for a single picture of this camera.
        var isAwaited = false
    }

    private let slots = Mutex<[String: Slot]>([:])

    func areWanted(of camera: String) -> Bool {
        slots.withLock { slots in slots[camera].map { $0.viewerCount > 0 || $0.isAwaited } ?? false }
    }

    /// - Parameter isPermitted: Whether to store the picture. Evaluated under the lock: if the answer changes later, a
    ///   following ``discard(of:)`` removes the picture.
    func put(_ picture: PagePicture, of camera: String, if isPermitted: () -> Bool = { true }) {
        slots.withLock { slots in
            guard isPermitted() else { return }
            slots[camera, default: Slot()].picture = picture
            slots[camera]?.isAwaited = false
        }
    }

    func newest(of camera: String) -> PagePicture? { slots.withLock { $0[camera]?.picture } }

    /// Returns the newest picture of a camera; `nil` if it is older than 0.5 s at the monotonic time `now`. An older
    /// picture may lack a redaction that was requested later.
    func fresh(of camera: String, at now: Nanoseconds = MonotonicClock.now) -> PagePicture? {
        newest(of: camera).flatMap { now - $0.time < Self.maximumAge ? $0 : nil }
    }

    /// Discards the picture of a camera, or the pictures of all cameras.
    func discard(of camera: String? = nil) {
        slots.withLock { slots in
            for name in camera.map({ [$0] }) ?? Array(slots.keys) { slots[name]?.picture = nil }
        }
    }

    /// Requests a single picture of a camera.
    func await(_ camera: String) { slots.withLock { $0[camera, default: Slot()].isAwaited = true } }

    func addViewer(at camera: String) { slots.withLock { $0[camera, default: Slot()].viewerCount += 1 } }

    /// Counts a picture stream as ended. When the last stream of a camera ends, the camera's picture is discarded, so
    /// that an outdated picture is never served.
    func removeViewer(at camera: String) {
        slots.withLock { slots in
            slots[camera]?.viewerCount -= 1
            if slots[camera]?.viewerCount == 0 { slots[camera]?.picture = nil }
        }
    }
}
