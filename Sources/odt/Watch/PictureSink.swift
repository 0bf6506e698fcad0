import SwiftODT

/// A sink that also wants to see what the cameras see, with what is drawn in: the live page.
protocol PictureSink: WatchSink {
    /// So many pictures a second of one camera are enough.
    var picturesPerSecond: Int { get }

    /// Whether anybody looks at this camera now. Asked before a picture is made: where nobody looks, none is. Called by the camera's
    /// streaming thread, and must not wait.
    func wantsPictures(of camera: String) -> Bool

    /// Takes over the bytes of a JPEG file. Called by a thread of the camera's that makes pictures alone: who keeps it gets fewer.
    func take(picture jpeg: [UInt8], of camera: String)
}
