/// An input of libFuzzer, read as a whole or as successive numbers. After its end all numbers are zero.
struct FuzzedBytes {
    private(set) var rest: ArraySlice<UInt8>

    init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        rest = Array(UnsafeBufferPointer(start: start, count: count))[...]
    }

    var all: [UInt8] { Array(rest) }
    var text: String { String(decoding: rest, as: UTF8.self) }

    mutating func next<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number {
        var number: Number = 0
        for place in 0..<MemoryLayout<Number>.size {
            number |= Number(truncatingIfNeeded: rest.popFirst() ?? 0) << Number(8 * place)
        }
        return number
    }

    mutating func next(below limit: Int) -> Int { Int(next(UInt16.self)) % limit }

    /// Returns a non-negative number: mostly a small one, sometimes one near a power of two or of any size.
    mutating func extent() -> Int {
        switch next(UInt8.self) {
        case let small where small < 200: Int(small)
        case 200...220: Int(next(UInt16.self))
        case 221...230: Int.max >> next(below: 63)
        default: Int(truncatingIfNeeded: next(UInt64.self) >> 1)
        }
    }
}
