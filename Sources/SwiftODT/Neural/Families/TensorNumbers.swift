extension TensorView {
    /// Calls `body` with the values as floats. Aligned 32-bit floats are not copied. Other elements are converted into
    /// a temporary buffer.
    ///
    /// - Throws: ``ODTError`` if the memory is smaller than the shape requires, or if the elements are bytes without a
    ///   quantisation.
    func withFloats<Answer>(_ body: (UnsafeBufferPointer<Float>) throws -> Answer) throws -> Answer {
        let count = try checkedCount()
        switch element {
        case .float32:
            guard let base = bytes.baseAddress, UInt(bitPattern: base) % UInt(MemoryLayout<Float>.alignment) == 0 else {
                return try withConverted(count, body) {
                    self.bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self)
                }
            }
            return try body(UnsafeBufferPointer(start: base.assumingMemoryBound(to: Float.self), count: count))
        case .float16:
            return try withConverted(count, body) {
                Float(half: self.bytes.loadUnaligned(fromByteOffset: $0 * 2, as: UInt16.self))
            }
        case .int32:
            return try withConverted(count, body) {
                Float(self.bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self))
            }
        case .int64:
            return try withConverted(count, body) {
                Float(self.bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self))
            }
        case .uint8, .int8:
            guard let quantised = try quantised() else {
                throw ODTError(
                    .unsupported,
                    "the network has an output of bytes without a scale; set \"quantisation\" in its manifest"
                )
            }
            return try withConverted(count, body) { quantised.number(quantised.bytes[$0]) }
        }
    }

    /// Returns the number of values that the shape specifies. Throws if the shape is invalid or the tensor's memory is
    /// too small.
    func checkedCount() throws -> Int {
        guard let count = shape.product else {
            throw ODTError(
                .failed, "the network returned an output with the invalid shape \(shape); export the model again")
        }
        guard count <= bytes.count / element.byteCount else {
            throw ODTError(
                .failed,
                "the network returned \(bytes.count) bytes for an output of shape \(shape) of \(element), which is too few; "
                    + "export the model again")
        }
        return count
    }

    private func withConverted<Answer>(
        _ count: Int, _ body: (UnsafeBufferPointer<Float>) throws -> Answer, number: (Int) -> Float
    ) throws -> Answer {
        try withUnsafeTemporaryAllocation(of: Float.self, capacity: count) { buffer in
            for index in 0..<count { buffer.initializeElement(at: index, to: number(index)) }
            return try body(UnsafeBufferPointer(buffer))
        }
    }
}

extension Float {
    /// Converts the bits of a 16-bit float. Some supported processors have no instruction for this conversion.
    init(half bits: UInt16) {
        let magnitude = UInt32(bits & 0x7FFF)
        let sign = UInt32(bits & 0x8000) << 16
        if magnitude >= 0x7C00 {
            self = Float(bitPattern: sign | 0x7F80_0000 | (magnitude & 0x3FF) << 13)
        } else {
            // The multiplication by 2^112 corrects the exponent. It is also correct for subnormal numbers.
            let value = Float(bitPattern: magnitude << 13) * Float(bitPattern: 0x7780_0000)
            self = Float(bitPattern: value.bitPattern | sign)
        }
    }
}
