import Glibc

/// Converts between numbers and decimal UTF-8 text. Numbers of at most 15 digits are converted without memory
/// allocations.
package enum DecimalText {
    /// Returns `nil` if the word is not a number. `point` is the decimal separator.
    package static func number(_ word: ArraySlice<UInt8>, point: UInt8 = UInt8(ascii: ".")) -> Double? {
        let isNegative = word.first == UInt8(ascii: "-")
        var (mantissa, digits, decimals) = (0, 0, 0)
        var isPastPoint = false
        for byte in word.dropFirst(isNegative ? 1 : 0) {
            if byte == point, !isPastPoint {
                isPastPoint = true
                continue
            }
            let digit = byte &- UInt8(ascii: "0")
            // The general parser handles exponents, `nan`, `inf`, numbers with many digits and invalid words.
            guard digit <= 9, mantissa <= largestExact, decimals < largestExponent else {
                return anyNumber(word, point)
            }
            mantissa = mantissa * 10 + Int(digit)
            digits += 1
            if isPastPoint { decimals += 1 }
        }
        if digits == 0 { return nil }
        guard mantissa <= largestExact else { return anyNumber(word, point) }
        // The mantissa and the power of ten are exact as doubles. Only the division rounds.
        let size = Double(mantissa) / powersOfTen[decimals]
        return isNegative ? -size : size
    }

    private static func anyNumber(_ word: ArraySlice<UInt8>, _ point: UInt8) -> Double? {
        // If the decimal separator is a comma, a period in the word could be a thousands separator. Such words are
        // rejected.
        if point != UInt8(ascii: "."), word.contains(UInt8(ascii: ".")) { return nil }
        return Double(String(decoding: word.map { $0 == point ? UInt8(ascii: ".") : $0 }, as: UTF8.self))
    }

    package static func append(_ number: Double, decimals: Int, to text: inout [UInt8]) {
        let scaled = (number.magnitude * powersOfTen[decimals]).rounded()
        guard scaled < 1e15 else { return appendLarge(number, decimals: decimals, to: &text) }
        if number < 0 { text.append(UInt8(ascii: "-")) }
        let (whole, part) = Int(scaled).quotientAndRemainder(dividingBy: Int(powersOfTen[decimals]))
        append(whole, to: &text)
        guard decimals > 0 else { return }
        text.append(UInt8(ascii: "."))
        append(part, digits: decimals, to: &text)
    }

    /// Appends an integer. Adds leading zeros up to `digits` digits.
    package static func append(_ number: Int, digits: Int = 1, to text: inout [UInt8]) {
        // Swift stores strings of up to 15 bytes inline, so the conversion allocates no memory.
        let figures = String(number).utf8
        text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, digits - figures.count)))
        text.append(contentsOf: figures)
    }

    package static func text(_ number: Double, decimals: Int) -> String {
        var text: [UInt8] = []
        append(number, decimals: decimals, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func appendLarge(_ number: Double, decimals: Int, to text: inout [UInt8]) {
        // The largest double has 309 digits before the point.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 384) { buffer in
            let count = withVaList([Int32(decimals), number]) {
                vsnprintf(buffer.baseAddress, buffer.count, "%.*f", $0)
            }
            text.append(contentsOf: buffer.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) })
        }
    }

    /// Every integer up to this one is exactly representable as a double.
    private static let largestExact = 1 << 53
    /// The powers of ten up to this exponent are exactly representable as doubles.
    private static let largestExponent = 22
    private static let powersOfTen: [Double] = (0...largestExponent).map { pow(10, Double($0)) }
}

/// A count with a noun, for example "1 frame" or "2 frames".
package enum CountText {
    /// - Parameter noun: a singular noun whose plural ends in "s".
    package static func text(_ count: some BinaryInteger, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
