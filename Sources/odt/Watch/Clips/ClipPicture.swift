import Playback
import Synchronization

/// The picture of a clip. It is taken while the clip is recorded.
final class ClipPicture: Sendable {
    private let jpeg = Mutex<[UInt8]?>(nil)

    func use(_ jpeg: [UInt8]) { self.jpeg.withLock { $0 = jpeg } }

    /// Writes the picture beside the clip.
    ///
    /// - Returns: The name of the file; `nil` if there is no picture.
    /// - Throws: ``PlaybackError`` if the file cannot be written.
    func write(beside video: String) throws -> String? {
        guard let jpeg = jpeg.withLock({ $0 }) else { return nil }
        let file = try PartFile(video.dropLast(4) + ".jpg")
        do {
            try jpeg.withUnsafeBytes { try file.write($0) }
            try file.finish()
        } catch {
            file.discard()
            throw error
        }
        return PartFile.parts(of: file.target).stem + ".jpg"
    }
}
