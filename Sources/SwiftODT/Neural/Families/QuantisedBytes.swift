/// The bytes of a quantised output, with their quantisation.
struct QuantisedBytes {
    let bytes: UnsafeBufferPointer<UInt8>
    let isSigned: Bool
    let scale: QuantisationScale

    var count: Int { bytes.count }

    @inline(__always)
    func number(_ byte: UInt8) -> Float { scale.number(isSigned ? Float(Int8(bitPattern: byte)) : Float(byte)) }
}

/// The values of an output, dequantised on access. Intended for outputs from which only few values are read.
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
    /// Returns the bytes of a quantised output; `nil` if the elements are not bytes or have no quantisation.
    ///
    /// - Throws: ``ODTError`` if the memory is smaller than the shape requires.
    func quantised() throws -> QuantisedBytes? {
        guard element == .uint8 || element == .int8, let scale else { return nil }
        let whole = UnsafeRawBufferPointer(rebasing: bytes.prefix(try checkedCount()))
        return QuantisedBytes(bytes: whole.bindMemory(to: UInt8.self), isSigned: element == .int8, scale: scale)
    }

    /// Calls `body` with the values, like ``withFloats(_:)``, but without dequantising all bytes in advance.
    func withSparseNumbers<Answer>(_ body: (SparseNumbers) throws -> Answer) throws -> Answer {
        if let quantised = try quantised() { return try body(.bytes(quantised)) }
        return try withFloats { try body(.floats($0)) }
    }
}
