import Testing

@testable import SwiftODT

/// Verifies that tensors of all element types are read, and that memory is never read beyond its end for any shape.
@Suite struct TensorNumbersTests {
    private func read<Number>(_ numbers: [Number], _ element: TensorElement, shape: [Int]? = nil, skip: Int = 0) throws
        -> [Float]
    {
        try numbers.withUnsafeBytes { bytes in
            let view = TensorView(
                shape: shape ?? [numbers.count], element: element,
                bytes: UnsafeRawBufferPointer(rebasing: bytes[skip...]))
            return try view.withFloats { Array($0) }
        }
    }

    @Test func readsEveryType() throws {
        #expect(try read([1.5, -2] as [Float], .float32) == [1.5, -2])
        #expect(try read([7, -8] as [Int32], .int32) == [7, -8])
        #expect(try read([7, -8] as [Int64], .int64) == [7, -8])
        let halves: [UInt16] = [0x3C00, 0xC000, 0x7BFF, 0x0001, 0x8000, 0x3555, 0x7C00, 0xFC00]
        #expect(
            try read(halves, .float16) == [1, -2, 65504, 5.9604645e-8, -0.0, 0.33325195, .infinity, -.infinity])
        #expect(try read([0x7E00] as [UInt16], .float16)[0].isNaN)
    }

    @Test func readsUnalignedMemory() throws {
        let bytes: [UInt8] = [0xFF] + withUnsafeBytes(of: Float(2.5)) { Array($0) }
        #expect(try read(bytes, .float32, shape: [1], skip: 1) == [2.5])
    }

    @Test func mismatchedTensorIsRejected() {
        for shape in [[3], [-1], [.max, .max], [Int.max / 4 + 1], [2, 2]] {
            #expect(throws: ODTError.self) { try read([1, 2] as [Float], .float32, shape: shape) }
        }
        #expect(throws: ODTError.self) { try read([1, 2] as [UInt8], .uint8) }
        #expect(throws: Never.self) { try read([1, 2] as [Float], .float32, shape: [0]) }
    }
}
