import Glibc
import Playback
import SwiftODT

/// The token that grants access to the page from other machines.
struct PageToken: Sendable {
    let text: String

    /// Returns a token of 128 random bits in hexadecimal.
    static func random() -> PageToken {
        var source = SystemRandomNumberGenerator()
        return PageToken(text: digits(of: source.next()) + digits(of: source.next()))
    }

    private init(text: String) { self.text = text }

    /// Reads the token from a file. If the file does not exist, creates it with a new token, readable only for its
    /// owner.
    ///
    /// - Throws: ``PlaybackError`` if the file cannot be read or does not contain a valid token.
    init(file: String) throws {
        guard PathText.isThere(file) else {
            self = try Self.make(file)
            return
        }
        guard let bytes = try? ByteStream.read(file), bytes.count <= 4096 else {
            throw PlaybackError("--page-token-file: cannot read \(file)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let word = String(text.drop { $0.isWhitespace }.prefix { !$0.isWhitespace })
        guard text.allSatisfy({ $0.isWhitespace || Self.isSafe($0) }), (16...256).contains(word.utf8.count),
            text.split(whereSeparator: \.isWhitespace).count == 1
        else {
            throw PlaybackError(
                "--page-token-file: \(file) must contain one word of 16 to 256 letters and digits; delete the file to "
                    + "create a new token")
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

    /// Compares in constant time, so that the duration does not reveal how much of a guess is correct.
    func matches(_ guess: String) -> Bool {
        let (right, guess) = (Array(text.utf8), Array(guess.utf8))
        var difference = right.count ^ guess.count
        for (place, byte) in guess.enumerated().prefix(1024) { difference |= Int(byte ^ right[place % right.count]) }
        return difference == 0
    }

    /// Returns whether the character needs no escaping in a URL or cookie.
    private static func isSafe(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.~".contains(character))
    }

    private static func digits(of number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
