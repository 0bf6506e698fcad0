/// A parser for one line of MOTChallenge's text format. A line has numbers that are separated by commas, semicolons or
/// blanks.
///
/// Spreadsheets in some locales write a comma as decimal separator. Decimal commas are supported if semicolons or
/// blanks separate the columns. The parser reuses the memory of ``columns`` for each line.
package struct MOTChallengeLine {
    /// The numbers of the latest line. Empty for empty lines and comments.
    package private(set) var columns: [Double] = []

    /// The score of the latest line; 1 without a score. A score of -1 stands for no score.
    package var score: Double { columns.count > 6 && columns[6] != -1 ? columns[6] : 1 }

    private static let comma = UInt8(ascii: ",")
    private static let semicolon = UInt8(ascii: ";")
    /// The minimum number of columns (`minimumCount`), and the number of columns in the standard format (`usual`).
    static let (minimumCount, usual) = (6, 10)

    package init() {}

    /// Parses a line without its terminator. The error does not name the line number.
    package mutating func read(_ line: ArraySlice<UInt8>) throws(MOTChallengeError) {
        columns.removeAll(keepingCapacity: true)
        let commaIsPoint = Self.hasDecimalCommas(line)
        var rest = line[...]
        Self.dropBlanks(&rest)
        if rest.isEmpty || rest.first == UInt8(ascii: "#") { return }
        while true {
            let word = rest.prefix { !Self.isBlank($0) && !Self.separates($0, commaIsPoint) }
            if word.isEmpty { throw MOTChallengeError("column \(columns.count + 1) is empty.") }
            guard let number = DecimalText.number(word, point: commaIsPoint ? Self.comma : UInt8(ascii: ".")) else {
                throw MOTChallengeError("not a number: '\(Self.printable(word.prefix(80)))'.")
            }
            columns.append(number)
            rest = rest[word.endIndex...]
            Self.dropBlanks(&rest)
            guard let next = rest.first else { break }
            guard Self.separates(next, commaIsPoint) else { continue }
            rest = rest.dropFirst()
            Self.dropBlanks(&rest)
        }
        guard columns.count >= Self.minimumCount else {
            throw MOTChallengeError("fewer than the six columns frame,id,x,y,width,height.")
        }
        // A line with too many columns and without any decimal point probably has decimal commas. In this case, the
        // parser has split the numbers at these commas.
        if columns.count > Self.usual, !line.contains(UInt8(ascii: ".")), !line.contains(where: Self.isExponent) {
            throw MOTChallengeError(
                "\(columns.count) columns, and no number has a decimal point. If the commas are decimal separators, "
                    + "separate the columns with semicolons, or use decimal points.")
        }
    }

    /// Returns whether the line has decimal commas. This is the case if a comma stands between two digits, and the line
    /// has enough columns even if only semicolons and blanks separate columns.
    private static func hasDecimalCommas(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.contains(where: { $0 == semicolon || isBlank($0) }) else { return false }
        var words = 0
        var (isInWord, isWithin, before) = (false, false, UInt8(0))
        for index in line.indices {
            let byte = line[index]
            let parts = byte == semicolon || isBlank(byte)
            if !parts, !isInWord { words += 1 }
            isInWord = !parts
            if byte == comma, isDigit(before), index + 1 < line.endIndex, isDigit(line[index + 1]) { isWithin = true }
            before = byte
        }
        return isWithin && words >= minimumCount
    }

    private static func separates(_ byte: UInt8, _ commaIsPoint: Bool) -> Bool {
        byte == semicolon || byte == comma && !commaIsPoint
    }

    /// Returns a text for an error message. Control characters, such as those of a file in another format, become
    /// question marks, because they could change the state of a terminal.
    private static func printable(_ word: ArraySlice<UInt8>) -> String {
        String(decoding: word.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }

    private static func dropBlanks(_ rest: inout ArraySlice<UInt8>) { rest = rest.drop(while: isBlank) }
    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }
    private static func isExponent(_ byte: UInt8) -> Bool { byte | 0x20 == UInt8(ascii: "e") }
}

package struct MOTChallengeError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
