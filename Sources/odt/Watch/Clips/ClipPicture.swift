import Playback
import Synchronization

/// The picture of a clip. It may be taken after the clip has ended, because detection runs later than recording.
final class ClipPicture: Sendable {
    private enum State {
        case none, requested
        case taken([UInt8])
    }

    private let state: Mutex<State>

    init(isRequested: Bool) { state = Mutex(isRequested ? .requested : .none) }

    var isRequested: Bool { state.withLock { if case .requested = $0 { true } else { false } } }

    func use(_ jpeg: [UInt8]) { state.withLock { $0 = .taken(jpeg) } }

    /// Writes the picture beside the clip.
    ///
    /// - Returns: The name of the file; `nil` if there is no picture.
    /// - Throws: ``PlaybackError`` if the file cannot be written.
    func write(beside video: String) throws -> String? {
        guard case .taken(let jpeg) = state.withLock({ $0 }) else { return nil }
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
