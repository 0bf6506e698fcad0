import Testing

@testable import GstSwiftODT

/// Tests which access units count as complete pictures.
@Suite struct AccessUnitFormatTests {
    private func isIntra(_ codec: AccessUnitFormat.Codec, lengthSize: Int? = nil, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { AccessUnitFormat(codec: codec, lengthSize: lengthSize).isIntra($0) }
    }

    private static let delimiter: [UInt8] = [0, 0, 0, 1, 9, 0xf0, 0, 0, 1, 6, 6, 1, 0x80]

    /// The slice header begins with first_mb_in_slice and slice_type in exponential Golomb code.
    @Test(arguments: [
        (0x65, 0xb8, true),  // an IDR picture
        (0x41, 0b1_011_0000, true),  // slice type 2: I
        (0x41, 0b1_000_1000, true),  // slice type 7: only I
        (0x41, 0b1_1_000000, false),  // slice type 0: P
        (0x41, 0b1_010_0000, false),  // slice type 1: B
        (0x41, 0b1_00110_00, false),  // slice type 5: only P
    ]) func h264SliceType(header: UInt8, slice: UInt8, expected: Bool) {
        #expect(isIntra(.h264, Self.delimiter + [0, 0, 1, header, slice, 0x80, 0x80, 0x80]) == expected)
        let unit: [UInt8] = [header, slice, 0x80, 0x80, 0x80]
        #expect(isIntra(.h264, lengthSize: 4, [0, 0, 0, 4, 6, 6, 1, 0x80, 0, 0, 0, 5] + unit) == expected)
        #expect(isIntra(.h264, lengthSize: 2, [0, 4, 6, 6, 1, 0x80, 0, 5] + unit) == expected)
    }

    /// Pictures after an intra picture that is no recovery point can refer to pictures before it.
    @Test func h264IntraPictureWithoutRecoveryPointIsNotTakenAsMarked() {
        let slice: [UInt8] = [0, 0, 1, 0x41, 0b1_011_0000, 0x80, 0x80, 0x80]
        #expect(!isIntra(.h264, slice))
        #expect(!isIntra(.h264, [0, 0, 1, 6, 5, 3, 6, 6, 6, 0x80] + slice))
        // The recovery point is the second payload.
        #expect(isIntra(.h264, [0, 0, 1, 6, 5, 3, 1, 2, 3, 6, 1, 0x80, 0x80] + slice))
        // Bytes that prevent the emulation of start codes do not count: in the first payload, before a type, in a size.
        #expect(isIntra(.h264, [0, 0, 1, 6, 5, 3, 0, 0, 3, 1, 6, 1, 0x80, 0x80] + slice))
        #expect(isIntra(.h264, [0, 0, 1, 6, 5, 2, 0, 0, 3, 1, 0, 6, 1, 0x80, 0x80] + slice))
        #expect(!isIntra(.h264, [0, 0, 1, 6, 5, 6, 0, 0, 3, 0, 0, 3, 0, 6, 0x80] + slice))
        // The size exceeds the data.
        #expect(!isIntra(.h264, [0, 0, 1, 6, 0xff, 0xff, 1, 0xff, 0xff, 0xff, 0xff, 9] + slice))
    }

    @Test(arguments: [(19, true), (20, true), (21, true), (16, true), (1, false), (9, false)])
    func h265UnitType(type: UInt8, expected: Bool) {
        let parameters: [UInt8] = [0, 0, 0, 1, 32 << 1, 1, 12, 1]
        #expect(isIntra(.h265, parameters + [0, 0, 1, type << 1, 1, 0x80, 0x80]) == expected)
    }

    @Test func unitsWithoutReadableSliceAreTakenAsMarked() {
        for bytes: [UInt8] in [[], [0], [0, 0, 1], [0, 0, 1, 0x41], Self.delimiter] {
            #expect(isIntra(.h264, bytes))
            #expect(isIntra(.av1, bytes))
        }
        for bytes: [UInt8] in [[], [0, 0, 0], [0, 0, 0, 9, 0x41], [0xff, 0xff, 0xff, 0xff, 6, 0]] {
            #expect(isIntra(.h264, lengthSize: 4, bytes))
            #expect(isIntra(.h265, lengthSize: 4, bytes))
        }
    }
}
