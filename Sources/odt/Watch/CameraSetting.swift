import Playback

/// A property of the element with the place of its definition.
struct CameraSetting: Sendable {
    /// `NAME=VALUE`
    let word: String
    /// The file and line of the configuration file; `nil` for the command line.
    let place: String?

    init(_ word: String, at place: String? = nil) { (self.word, self.place) = (word, place) }

    /// - Throws: ``PlaybackError`` if the property does not exist, rejects the value, or must not be set in a watch.
    func set(of element: Element) throws {
        do {
            if word.hasPrefix("source=") {
                throw PlaybackError("'\(word)': write NAME=SOURCE to name the camera", isUsage: true)
            }
            if word.hasPrefix("message-format=") {
                throw PlaybackError("'\(word)' is not supported here: messages are always JSON", isUsage: true)
            }
            try PropertySetting.set(word, of: element)
        } catch let error as PlaybackError {
            guard let place else { throw error }
            throw PlaybackError("\(place): \(error)", isUsage: error.isUsage)
        }
    }
}
