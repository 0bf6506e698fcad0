/// Unpacks DEFLATE (RFC 1951), the packing of zip files. Small rather than fast: it is for label lists.
struct Inflate {
    /// The packed bytes end early, or are not what DEFLATE allows.
    struct Damaged: Error {}

    private let input: ArraySlice<UInt8>
    private var position: Int
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []
    private let limit: Int

    private init(_ input: ArraySlice<UInt8>, limit: Int) {
        self.input = input
        position = input.startIndex
        self.limit = limit
    }

    /// - Parameter limit: what would become longer is damaged, or a bomb.
    /// - Throws: ``Damaged``.
    static func unpack(_ input: ArraySlice<UInt8>, limit: Int) throws -> [UInt8] {
        var inflate = Inflate(input, limit: limit)
        while try !inflate.block() {}
        return inflate.output
    }

    /// Unpacks a block; whether it was the last one.
    private mutating func block() throws -> Bool {
        let last = try take(1) == 1
        switch try take(2) {
        case 0: try stored()
        case 1: try compressed(literals: .fixedLiterals, distances: .fixedDistances)
        case 2:
            let (literals, distances) = try dynamicCodes()
            try compressed(literals: literals, distances: distances)
        default: throw Damaged()
        }
        return last
    }

    private mutating func take(_ count: Int) throws -> Int {
        while bitCount < count {
            guard position < input.endIndex else { throw Damaged() }
            bits |= UInt32(input[position]) << UInt32(bitCount)
            position += 1
            bitCount += 8
        }
        let value = Int(bits & (1 << UInt32(count) - 1))
        bits >>= UInt32(count)
        bitCount -= count
        return value
    }

    private mutating func stored() throws {
        bits = 0
        bitCount = 0
        guard position + 4 <= input.endIndex else { throw Damaged() }
        let length = Int(input[position]) | Int(input[position + 1]) << 8
        let check = Int(input[position + 2]) | Int(input[position + 3]) << 8
        position += 4
        guard length == check ^ 0xFFFF, position + length <= input.endIndex, output.count + length <= limit else {
            throw Damaged()
        }
        output += input[position..<position + length]
        position += length
    }

    private mutating func compressed(literals: HuffmanCode, distances: HuffmanCode) throws {
        while true {
            let symbol = try next(literals)
            if symbol == 256 { return }
            if symbol < 256 {
                guard output.count < limit else { throw Damaged() }
                output.append(UInt8(symbol))
                continue
            }
            let length = try value(symbol - 257, bases: Self.lengthBases, extraBits: Self.lengthExtraBits)
            let distance = try value(try next(distances), bases: Self.distanceBases, extraBits: Self.distanceExtraBits)
            guard distance <= output.count, output.count + length <= limit else { throw Damaged() }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    private mutating func value(_ symbol: Int, bases: [Int], extraBits: [Int]) throws -> Int {
        guard symbol < bases.count else { throw Damaged() }
        return bases[symbol] + (try take(extraBits[symbol]))
    }

    private mutating func next(_ code: HuffmanCode) throws -> Int {
        var (path, first, index) = (0, 0, 0)
        for length in 1...15 {
            path |= try take(1)
            let count = code.counts[length]
            if path - first < count { return code.symbols[index + path - first] }
            index += count
            first = (first + count) << 1
            path <<= 1
        }
        throw Damaged()
    }

    /// The codes of a block that brings its own: their lengths are packed by a third code.
    private mutating func dynamicCodes() throws -> (literals: HuffmanCode, distances: HuffmanCode) {
        let literalCount = try take(5) + 257
        let distanceCount = try take(5) + 1
        var lengths = [Int](repeating: 0, count: 19)
        for place in Self.lengthOrder.prefix(try take(4) + 4) { lengths[place] = try take(3) }
        let lengthCode = try HuffmanCode(lengths: lengths)
        lengths = []
        while lengths.count < literalCount + distanceCount {
            switch try next(lengthCode) {
            case let length where length < 16: lengths.append(length)
            case 16:
                guard let last = lengths.last else { throw Damaged() }
                lengths += repeatElement(last, count: try take(2) + 3)
            case 17: lengths += repeatElement(0, count: try take(3) + 3)
            default: lengths += repeatElement(0, count: try take(7) + 11)
            }
        }
        guard lengths.count == literalCount + distanceCount else { throw Damaged() }
        return (
            try HuffmanCode(lengths: Array(lengths[..<literalCount])),
            try HuffmanCode(lengths: Array(lengths[literalCount...]))
        )
    }

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthExtraBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145,
        8193, 12289, 16385, 24577,
    ]
    private static let distanceExtraBits = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
    ]
    private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
}

/// A canonical prefix code: how many codes there are of each length, and the symbols in the order of their codes.
private struct HuffmanCode {
    let counts: [Int]
    let symbols: [Int]

    init(lengths: [Int]) throws {
        var counts = [Int](repeating: 0, count: 16)
        for length in lengths { counts[length] += 1 }
        counts[0] = 0
        var room = 1
        for length in 1...15 {
            room = room * 2 - counts[length]
            guard room >= 0 else { throw Inflate.Damaged() }
        }
        self.counts = counts
        symbols = lengths.indices.filter { lengths[$0] > 0 }
            .sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }

    private init(sound lengths: [Int]) {
        counts = (0...15).map { length in length == 0 ? 0 : lengths.count { $0 == length } }
        symbols = lengths.indices.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }

    static let fixedLiterals = HuffmanCode(
        sound: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    static let fixedDistances = HuffmanCode(sound: [Int](repeating: 5, count: 30))
}
