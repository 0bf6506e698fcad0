import Testing

@testable import GstSwiftODT

/// Tests which access units count as complete pictures, and which as leading pictures.
@Suite struct AccessUnitFormatTests {
    private func kind(
        _ codec: AccessUnitFormat.Codec, lengthSize: Int? = nil, _ bytes: [UInt8]
    ) -> AccessUnitFormat.Kind? {
        bytes.withUnsafeBytes { AccessUnitFormat(codec: codec, lengthSize: lengthSize).kind(of: $0) }
    }

    private static let delimiter: [UInt8] = [0, 0, 0, 1, 9, 0xf0, 0, 0, 1, 6, 6, 1, 0x80]

    /// NAL unit types: 5 is a slice of an IDR picture, 1 a slice of another picture, 2 a data partition of one.
    @Test(arguments: [(0x65, .randomAccess), (0x41, .other), (0x42, .other)] as [(UInt8, AccessUnitFormat.Kind)])
    func h264UnitType(header: UInt8, expected: AccessUnitFormat.Kind) {
        // The slice type is 7: all slices of the picture are intra slices.
        let unit: [UInt8] = [header, 0b1_000_1000, 0x80, 0x80, 0x80]
        #expect(kind(.h264, Self.delimiter + [0, 0, 1] + unit) == expected)
        #expect(kind(.h264, lengthSize: 4, [0, 0, 0, 4, 6, 6, 1, 0x80, 0, 0, 0, 5] + unit) == expected)
        #expect(kind(.h264, lengthSize: 2, [0, 4, 6, 6, 1, 0x80, 0, 5] + unit) == expected)
    }

    /// All leading pictures are displayed before their random access point, even those that can be decoded without
    /// earlier pictures (types 6 and 7).
    @Test(
        arguments: [
            (19, .randomAccess), (20, .randomAccess), (21, .randomAccess), (16, .randomAccess), (1, .other),
            (6, .leading), (7, .leading), (8, .leading), (9, .leading),
        ] as [(UInt8, AccessUnitFormat.Kind)])
    func h265UnitType(type: UInt8, expected: AccessUnitFormat.Kind) {
        let parameters: [UInt8] = [0, 0, 0, 1, 32 << 1, 1, 12, 1]
        #expect(kind(.h265, parameters + [0, 0, 1, type << 1, 1, 0x80, 0x80]) == expected)
    }

    /// The first byte of a frame header: 0x10 is a shown key frame, 0x00 a hidden one, 0x30 a shown inter frame, 0x80 a
    /// repeated frame.
    @Test(
        arguments: [
            (6, 0x10, .randomAccess), (3, 0x10, .randomAccess), (6, 0x00, .other), (6, 0x30, .other), (3, 0x80, .other),
        ] as [(UInt8, UInt8, AccessUnitFormat.Kind)])
    func av1FrameHeader(type: UInt8, first: UInt8, expected: AccessUnitFormat.Kind) {
        let (delimiter, sequence): ([UInt8], [UInt8]) = ([0x12, 0], [0x0a, 3, 0, 0, 0])
        #expect(kind(.av1, delimiter + sequence + [type << 3 | 2, 4, first, 0, 0, 0]) == expected)
        // Without a size, and with an extension header.
        #expect(kind(.av1, [type << 3 | 4, 0, first, 0]) == expected)
        // A still picture has a sequence header with the flag `reduced_still_picture_header`.
        #expect(kind(.av1, [0x0a, 0x81, 0, 0x18] + [type << 3 | 2, 1, first]) == .randomAccess)
    }

    @Test func unitsWithoutReadableSliceAreTakenAsMarked() {
        for bytes: [UInt8] in [[], [0], [0, 0, 1], [0, 0, 1, 0x41], Self.delimiter] {
            #expect(kind(.h264, bytes) == nil)
        }
        for bytes: [UInt8] in [[], [0, 0, 0], [0, 0, 0, 9, 0x41], [0xff, 0xff, 0xff, 0xff, 6, 0]] {
            #expect(kind(.h264, lengthSize: 4, bytes) == nil)
            #expect(kind(.h265, lengthSize: 4, bytes) == nil)
        }
        let truncated: [[UInt8]] = [
            [0x12], [0x12, 0], [0x32, 0], [0x32, 0x80], [0x34], [0x32, 0xff, 0xff, 0xff, 0xff, 1],
        ]
        for bytes in [[]] + truncated {
            #expect(kind(.av1, bytes) == nil)
        }
    }
}
