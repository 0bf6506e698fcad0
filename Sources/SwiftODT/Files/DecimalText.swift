import Glibc

/// Decimal numbers as the bytes of a text: for files of many, where going by way of strings costs more than all else.
public enum DecimalText {
    /// The number that a word spells, nil where it spells none.
    ///
    /// - Parameter point: what stands before the decimals.
    public static func number(_ word: ArraySlice<UInt8>, point: UInt8 = UInt8(ascii: ".")) -> Double? {
        let isNegative = word.first == UInt8(ascii: "-")
        var (mantissa, digits, decimals) = (0, 0, 0)
        var isPastPoint = false
        for byte in word.dropFirst(isNegative ? 1 : 0) {
            if byte == point, !isPastPoint {
                isPastPoint = true
                continue
            }
            let digit = byte &- UInt8(ascii: "0")
            // Exponents, words like nan, and what is no number at all.
            guard digit <= 9, digits < maximumDigits else { return anyNumber(word, point) }
            mantissa = mantissa * 10 + Int(digit)
            digits += 1
            if isPastPoint { decimals += 1 }
        }
        if digits == 0 { return nil }
        // Both are exact, so that the quotient is the nearest number there is.
        let size = Double(mantissa) / powersOfTen[decimals]
        return isNegative ? -size : size
    }

    private static func anyNumber(_ word: ArraySlice<UInt8>, _ point: UInt8) -> Double? {
        // With another point the usual one parts thousands, or nothing.
        if point != UInt8(ascii: "."), word.contains(UInt8(ascii: ".")) { return nil }
        return Double(String(decoding: word.map { $0 == point ? UInt8(ascii: ".") : $0 }, as: UTF8.self))
    }

    /// Writes a number with so many decimals.
    public static func append(_ number: Double, decimals: Int, to text: inout [UInt8]) {
        let scaled = (number.magnitude * powersOfTen[decimals]).rounded()
        guard scaled < 1e15 else { return appendLarge(number, decimals: decimals, to: &text) }
        if number < 0 { text.append(UInt8(ascii: "-")) }
        let (whole, part) = Int(scaled).quotientAndRemainder(dividingBy: Int(powersOfTen[decimals]))
        append(whole, to: &text)
        guard decimals > 0 else { return }
        text.append(UInt8(ascii: "."))
        append(part, digits: decimals, to: &text)
    }

    /// Writes a whole number, with zeros before it up to so many digits.
    public static func append(_ number: Int, digits: Int = 1, to text: inout [UInt8]) {
        // Short strings need no memory of their own.
        let figures = String(number).utf8
        text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, digits - figures.count)))
        text.append(contentsOf: figures)
    }

    /// The same as a string.
    public static func text(_ number: Double, decimals: Int) -> String {
        var text: [UInt8] = []
        append(number, decimals: decimals, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func appendLarge(_ number: Double, decimals: Int, to text: inout [UInt8]) {
        // The largest number has 309 digits before its point.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 384) { buffer in
            let count = withVaList([Int32(decimals), number]) {
                vsnprintf(buffer.baseAddress, buffer.count, "%.*f", $0)
            }
            text.append(contentsOf: buffer.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) })
        }
    }

    /// So many digits are exact as a number.
    private static let maximumDigits = 15
    private static let powersOfTen: [Double] = (0...maximumDigits).map { pow(10, Double($0)) }
}
