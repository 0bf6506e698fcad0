import CGStreamer
import SwiftODT
import Synchronization

/// A picture on its way to browsers: the bytes are there once, however many look.
final class PagePicture: @unchecked Sendable {
    static let boundary = "odt-picture"

    /// As a part of a stream of pictures; its end is the beginning of the next one, for which browsers wait before they show it.
    let part: OpaquePointer
    /// As a file.
    let file: OpaquePointer
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

/// The newest picture of each camera, and whether anybody wants one: cameras make them only then.
final class NewestPictures: Sendable {
    private struct Slot {
        var picture: PagePicture?
        /// How many look all the time.
        var viewerCount = 0
        /// Somebody wants one picture.
        var isAwaited = false
    }

    private let slots = Mutex<[String: Slot]>([:])

    func areWanted(of camera: String) -> Bool {
        slots.withLock { slots in slots[camera].map { $0.viewerCount > 0 || $0.isAwaited } ?? false }
    }

    func put(_ picture: PagePicture, of camera: String) {
        slots.withLock { slots in
            slots[camera, default: Slot()].picture = picture
            slots[camera]?.isAwaited = false
        }
    }

    func newest(of camera: String) -> PagePicture? { slots.withLock { $0[camera]?.picture } }

    func await(_ camera: String) { slots.withLock { $0[camera, default: Slot()].isAwaited = true } }

    func addViewer(at camera: String) { slots.withLock { $0[camera, default: Slot()].viewerCount += 1 } }

    /// Who looks last takes the picture along: nobody is to see it as if it were new.
    func removeViewer(at camera: String) {
        slots.withLock { slots in
            slots[camera]?.viewerCount -= 1
            if slots[camera]?.viewerCount == 0 { slots[camera]?.picture = nil }
        }
    }
}
