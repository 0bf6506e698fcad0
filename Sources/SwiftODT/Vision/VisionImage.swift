import Synchronization

/// An image to look at, with what has to be known about it.
///
///     let image = try VisionImage(contentsOfFile: "kitchen.jpg")
///     image.orientation = .rightTop
public final class VisionImage: Sendable {
    private struct Facts {
        var metadata: VisionImageMetadata?
        var timestamp: Nanoseconds?
    }

    /// The pixels, or why there are none; whoever looks at the image is told.
    let picture: Result<Picture, any Error>
    private let facts: Mutex<Facts>

    /// A picture from a file or of one's own. What its file says about its orientation holds until ``metadata`` is set.
    public init(image: Picture) {
        picture = .success(image)
        facts = Mutex(Facts())
    }

    /// A copy of a pixel buffer in any format; its time becomes the image's.
    public init(buffer: Frame) {
        picture = Result { try Picture(copying: buffer) }
        facts = Mutex(Facts(timestamp: buffer.time))
    }

    /// A PNG or JPEG file.
    /// - Throws: ``ODTError`` that says what is wrong with the file.
    public convenience init(contentsOfFile path: String) throws {
        self.init(image: try Picture(contentsOfFile: path))
    }

    /// Where it is set, it holds instead of what the picture itself says.
    public var metadata: VisionImageMetadata? {
        get { facts.withLock { $0.metadata } }
        set { facts.withLock { $0.metadata = newValue } }
    }

    /// How the picture lies in the buffer. Setting it sets the ``metadata``.
    public var orientation: VisionDetectorImageOrientation {
        get { metadata?.orientation ?? VisionDetectorImageOrientation((try? picture.get().orientation) ?? .identity) }
        set {
            let metadata = VisionImageMetadata()
            metadata.orientation = newValue
            self.metadata = metadata
        }
    }

    /// When the image was taken. In a stream, images without a time, or with one that does not go forward, count as taken
    /// at the call.
    public var timestamp: Nanoseconds? {
        get { facts.withLock { $0.timestamp } }
        set { facts.withLock { $0.timestamp = newValue } }
    }
}

/// What cannot be seen from an image's pixels.
public final class VisionImageMetadata: Sendable {
    private let value = Mutex(VisionDetectorImageOrientation.topLeft)

    public init() {}

    /// How the picture lies in the buffer.
    public var orientation: VisionDetectorImageOrientation {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
