import Playback

/// A property of the element that somebody sets, and where.
struct CameraSetting: Sendable {
    /// `NAME=VALUE`
    let word: String
    /// The line of a file; `nil` on the command line.
    let place: String?

    init(_ word: String, at place: String? = nil) { (self.word, self.place) = (word, place) }

    /// - Throws: ``PlaybackError`` where there is no such property, it cannot have this value, or it is not for users to set here.
    func set(of element: Element) throws {
        do {
            if word.hasPrefix("source=") {
                throw PlaybackError("'\(word)': a camera's name is its source; say NAME=SOURCE", isUsage: true)
            }
            if word.hasPrefix("message-format=") {
                throw PlaybackError("'\(word)' has no use here: what is said comes as JSON", isUsage: true)
            }
            try PropertySetting.set(word, of: element)
        } catch let error as PlaybackError {
            guard let place else { throw error }
            throw PlaybackError("\(place): \(error)", isUsage: error.isUsage)
        }
    }
}
