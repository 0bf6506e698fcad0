import Glibc
import Playback

/// Where a video comes from.
public enum VideoSource: Hashable, Sendable {
    /// A video file. Every frame is processed, and the video waits for the consumer of the results.
    case file(String)
    /// The PNG and JPEG files of a folder, in the order of their names, as a video with a frame rate.
    case pictures(folder: String, framesPerSecond: Double = 30)
    /// A V4L2 device such as `/dev/video0`.
    case camera(String)
    /// A URI, for example `rtsp://camera/stream` or `https://example.com/a.mp4`.
    case address(String)
    /// The start of a pipeline in the syntax of gst-launch-1.0, whose last element delivers raw video, for example
    /// `videotestsrc num-buffers=100 ! video/x-raw,width=640`.
    case pipeline(String)

    /// Recognises a source by its name: a folder of pictures, a camera device, a URI, else a file.
    public init(_ name: String) {
        var status = stat()
        let exists = PathText.withSystemPath(name) { stat($0, &status) } == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR {
            self = .pictures(folder: name)
        } else if exists, status.st_mode & S_IFMT == S_IFCHR {
            self = .camera(name)
        } else {
            self = MediaSource.isAddress(name) ? .address(name) : .file(name)
        }
    }
}
