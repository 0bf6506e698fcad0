import Glibc
import Playback
import SwiftODT

/// The word that lets somebody see the page from another machine.
struct PageToken: Sendable {
    let text: String

    /// 128 bits from the system, as 32 digits.
    static func random() -> PageToken {
        var source = SystemRandomNumberGenerator()
        return PageToken(text: digits(of: source.next()) + digits(of: source.next()))
    }

    private init(text: String) { self.text = text }

    /// The one in a file; where there is no such file, it is made, for its owner to read, with a new one in it.
    ///
    /// - Throws: ``PlaybackError`` where it is no good token, or cannot be read.
    init(file: String) throws {
        guard PathText.isThere(file) else {
            self = try Self.make(file)
            return
        }
        guard let bytes = try? ByteStream.read(file), bytes.count <= 4096 else {
            throw PlaybackError("--page-token-file: \(file) cannot be read")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let word = String(text.drop { $0.isWhitespace }.prefix { !$0.isWhitespace })
        guard text.allSatisfy({ $0.isWhitespace || Self.isSafe($0) }), (16...256).contains(word.utf8.count),
            text.split(whereSeparator: \.isWhitespace).count == 1
        else {
            throw PlaybackError(
                "--page-token-file: \(file) should hold one word of 16 to 256 letters and digits; where there is no such "
                    + "file, one is made")
        }
        self.init(text: word)
    }

    private static func make(_ file: String) throws -> PageToken {
        let token = PageToken.random()
        let descriptor = PathText.withSystemPath(file) {
            open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else {
            throw PlaybackError("--page-token-file: \(file): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        let line = Array((token.text + "\n").utf8)
        guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
            let problem = errno
            PathText.withSystemPath(file) { _ = unlink($0) }
            throw PlaybackError("--page-token-file: \(file): \(String(cString: strerror(problem)))")
        }
        return token
    }

    /// Whether it is the same word; how long that takes does not tell how much of it is right.
    func matches(_ guess: String) -> Bool {
        let (right, guess) = (Array(text.utf8), Array(guess.utf8))
        var difference = right.count ^ guess.count
        for (place, byte) in guess.enumerated().prefix(1024) { difference |= Int(byte ^ right[place % right.count]) }
        return difference == 0
    }

    /// What needs no escaping in an URL and a cookie.
    private static func isSafe(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.~".contains(character))
    }

    private static func digits(of number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
