import SwiftODT
import Synchronization

/// An image with its orientation and timestamp, as input for a detector. Changes do not affect earlier calls of the
/// detector.
///
///     let image = try VisionImage(contentsOfFile: "kitchen.jpg")
///     image.orientation = .rightTop
public final class VisionImage: Sendable {
    private struct Facts {
        var metadata: VisionImageMetadata?
        var timestamp: MediaTime?
    }

    /// The pixels, or the error that the detector reports for this image.
    let frame: Result<Frame, any Error>
    private let facts: Mutex<Facts>

    /// Creates an image from a picture. The image has the picture's orientation until ``metadata`` is set.
    public init(image: Frame) {
        frame = Result { try image.owned() }
        facts = Mutex(Facts())
    }

    /// Creates an image from a frame of a video. The image has the frame's timestamp.
    public init(buffer: Frame) {
        frame = Result { try buffer.owned() }
        facts = Mutex(Facts(timestamp: buffer.timestamp))
    }

    /// Reads a PNG or JPEG file.
    /// - Throws: `ODTError` if the file is missing or invalid.
    public convenience init(contentsOfFile path: String) throws(ODTError) {
        self.init(image: try Frame(contentsOfFile: path))
    }

    /// Metadata that overrides the orientation of the picture. With `nil`, the default, the picture's orientation
    /// applies.
    public var metadata: VisionImageMetadata? {
        get { facts.withLock { $0.metadata } }
        set { facts.withLock { $0.metadata = newValue } }
    }

    /// The orientation of the picture in the buffer. Setting it replaces the ``metadata``.
    public var orientation: VisionDetectorImageOrientation {
        get { metadata?.orientation ?? VisionDetectorImageOrientation((try? frame.get().orientation) ?? .identity) }
        set {
            let metadata = VisionImageMetadata()
            metadata.orientation = newValue
            self.metadata = metadata
        }
    }

    /// The time of capture. In a stream, each timestamp must be later than the previous one. If a timestamp is missing
    /// or not later, the detector replaces it by the time of the previous image plus the time that has passed since
    /// that image was processed.
    public var timestamp: MediaTime? {
        get { facts.withLock { $0.timestamp } }
        set { facts.withLock { $0.timestamp = newValue } }
    }
}

/// Properties of an image that its pixels do not contain.
public final class VisionImageMetadata: Sendable {
    private let value = Mutex(VisionDetectorImageOrientation.topLeft)

    /// Creates metadata for an upright picture.
    public init() {}

    /// The orientation of the picture in the buffer.
    public var orientation: VisionDetectorImageOrientation {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
