@testable import SwiftODT

/// Writes FlatBuffers for tests. Tables precede the values that they refer to, and every field has four bytes.
struct FlatBufferMaker {
    indirect enum Value {
        case number(UInt32)
        case float(Float)
        case text(String)
        case bytes([UInt8])
        case numbers([UInt32])
        /// 64-bit integers, each as two 32-bit halves.
        case zeros([UInt32])
        /// A table of fields, keyed by their index in the schema.
        case table([Int: Value])
        case tables([[Int: Value]])

        static func floats(_ numbers: [Float]) -> Value { .numbers(numbers.map(\.bitPattern)) }
    }

    private var bytes: [UInt8]

    /// Returns a complete buffer with `root` as its root table.
    static func make(_ root: [Int: Value], identifier: String) -> [UInt8] {
        var maker = FlatBufferMaker(bytes: [0, 0, 0, 0] + Array(identifier.utf8))
        maker.point(from: 0, to: .table(root))
        return maker.bytes
    }

    private mutating func add(_ number: UInt32) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a value and stores its offset at `place`.
    private mutating func point(from place: Int, to value: Value) {
        let target = write(value)
        withUnsafeBytes(of: UInt32(target - place).littleEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
    }

    private mutating func write(_ value: Value) -> Int {
        while bytes.count % 4 != 0 { bytes.append(0) }
        let start = bytes.count
        switch value {
        case .number(let number): add(number)
        case .float(let number): add(number.bitPattern)
        case .text(let text):
            add(UInt32(text.utf8.count))
            bytes += Array(text.utf8) + [0]
        case .bytes(let contents):
            add(UInt32(contents.count))
            bytes += contents
        case .numbers(let numbers):
            add(UInt32(numbers.count))
            for number in numbers { add(number) }
        case .zeros(let halves):
            add(UInt32(halves.count / 2))
            for half in halves { add(half) }
        case .tables(let tables):
            add(UInt32(tables.count))
            for _ in tables { add(0) }
            for (index, table) in tables.enumerated() { point(from: start + 4 + 4 * index, to: .table(table)) }
        case .table(let fields): return write(table: fields)
        }
        return start
    }

    private mutating func write(table fields: [Int: Value]) -> Int {
        let list = bytes.count
        let count = (fields.keys.max() ?? -1) + 1
        let size = 4 + 2 * count
        func half(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
        bytes += half(size) + half(4 + 4 * fields.count)
        for field in 0..<count {
            let slot = fields.keys.sorted().firstIndex(of: field)
            bytes += half(slot.map { 4 + 4 * $0 } ?? 0)
        }
        while bytes.count % 4 != 0 { bytes.append(0) }
        let start = bytes.count
        add(UInt32(start - list))
        for _ in fields { add(0) }
        for (slot, field) in fields.keys.sorted().enumerated() {
            let place = start + 4 + 4 * slot
            switch fields[field] {
            case .number(let number): set(number, at: place)
            case .float(let number): set(number.bitPattern, at: place)
            case let value?: point(from: place, to: value)
            case nil: break
            }
        }
        return start
    }

    private mutating func set(_ number: UInt32, at place: Int) {
        withUnsafeBytes(of: number.littleEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
    }
}
