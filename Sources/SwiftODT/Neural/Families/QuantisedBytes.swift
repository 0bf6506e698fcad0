/// An output of a quantised network as it lies, with what its bytes stand for.
struct QuantisedBytes {
    let bytes: UnsafeBufferPointer<UInt8>
    let isSigned: Bool
    let scale: QuantisationScale

    var count: Int { bytes.count }

    @inline(__always)
    func number(_ byte: UInt8) -> Float { scale.number(isSigned ? Float(Int8(bitPattern: byte)) : Float(byte)) }
}

/// The numbers of an output of which few are looked at: bytes become numbers when they are asked for.
enum SparseNumbers {
    case floats(UnsafeBufferPointer<Float>)
    case bytes(QuantisedBytes)

    var count: Int {
        switch self {
        case .floats(let numbers): numbers.count
        case .bytes(let quantised): quantised.count
        }
    }

    @inline(__always)
    subscript(place: Int) -> Float {
        switch self {
        case .floats(let numbers): numbers[place]
        case .bytes(let quantised): quantised.number(quantised.bytes[place])
        }
    }
}

extension TensorView {
    /// Bytes as they lie; `nil` where the numbers are none, or nobody said what they stand for.
    ///
    /// - Throws: as ``withFloats(_:)``.
    func quantised() throws -> QuantisedBytes? {
        guard element == .uint8 || element == .int8, let scale else { return nil }
        let whole = UnsafeRawBufferPointer(rebasing: bytes.prefix(try checkedCount()))
        return QuantisedBytes(bytes: whole.bindMemory(to: UInt8.self), isSigned: element == .int8, scale: scale)
    }

    /// As ``withFloats(_:)``, but bytes are not turned into numbers beforehand.
    func withSparseNumbers<Answer>(_ body: (SparseNumbers) throws -> Answer) throws -> Answer {
        if let quantised = try quantised() { return try body(.bytes(quantised)) }
        return try withFloats { try body(.floats($0)) }
    }
}
