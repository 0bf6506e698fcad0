import SwiftODT

/// A sink that also receives annotated pictures: the live page.
protocol PictureSink: WatchSink {
    /// The maximum number of pictures per second and camera.
    var picturesPerSecond: Int { get }

    /// Returns whether a client watches this camera now; pictures are encoded only then. Called on the camera's
    /// streaming thread, so it must not block.
    func wantsPictures(of camera: String) -> Bool

    /// Receives a JPEG file. Called on a thread of the camera that only encodes pictures, so blocking reduces the
    /// rate of pictures.
    func take(picture jpeg: [UInt8], of camera: String)
}
