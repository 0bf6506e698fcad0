/// The part of a file that an HTTP `Range` header requests.
struct ByteRange: Equatable {
    /// The maximum size in bytes of a part. Browsers request the rest of a file and stop reading while the video is
    /// paused. The limit keeps the responses short, and browsers then request the next part.
    static let largest = 4 << 20

    let first: Int
    let count: Int

    enum Request: Equatable {
        /// The header is missing, invalid, or names several parts. The response is the whole file.
        case whole
        case part(ByteRange)
        /// The part begins after the end of the file.
        case beyond
    }

    /// - Parameter size: The size of the file in bytes.
    static func request(_ header: String, size: Int) -> Request {
        guard header.hasPrefix("bytes=") else { return .whole }
        let words = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard words.count == 2, words.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return .whole
        }
        switch (Int(words[0]), Int(words[1])) {
        case (let first?, let last):
            guard last != nil || words[1].isEmpty, last.map({ $0 >= first }) ?? true else { return .whole }
            guard first < size else { return .beyond }
            let end = last.map { min($0, size - 1) } ?? size - 1
            return .part(ByteRange(first: first, count: min(end - first + 1, largest)))
        case (nil, let length?) where words[0].isEmpty:
            guard length > 0, size > 0 else { return .beyond }
            let count = min(length, size)
            return .part(ByteRange(first: size - count, count: min(count, largest)))
        default: return .whole
        }
    }
}
