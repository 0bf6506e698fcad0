import Testing

@testable import GstSwiftODT

/// Tests which access units count as complete pictures.
@Suite struct AccessUnitFormatTests {
    private func isRandomAccessPoint(_ codec: AccessUnitFormat.Codec, lengthSize: Int? = nil, _ bytes: [UInt8]) -> Bool
    {
        bytes.withUnsafeBytes { AccessUnitFormat(codec: codec, lengthSize: lengthSize).isRandomAccessPoint($0) }
    }

    private static let delimiter: [UInt8] = [0, 0, 0, 1, 9, 0xf0, 0, 0, 1, 6, 6, 1, 0x80]

    /// NAL unit types: 5 is a slice of an IDR picture, 1 a slice of another picture, 2 a data partition of one.
    @Test(arguments: [(0x65, true), (0x41, false), (0x42, false)] as [(UInt8, Bool)])
    func h264UnitType(header: UInt8, expected: Bool) {
        // The slice type is 7: all slices of the picture are intra slices.
        let unit: [UInt8] = [header, 0b1_000_1000, 0x80, 0x80, 0x80]
        #expect(isRandomAccessPoint(.h264, Self.delimiter + [0, 0, 1] + unit) == expected)
        #expect(isRandomAccessPoint(.h264, lengthSize: 4, [0, 0, 0, 4, 6, 6, 1, 0x80, 0, 0, 0, 5] + unit) == expected)
        #expect(isRandomAccessPoint(.h264, lengthSize: 2, [0, 4, 6, 6, 1, 0x80, 0, 5] + unit) == expected)
    }

    @Test(arguments: [(19, true), (20, true), (21, true), (16, true), (1, false), (9, false)])
    func h265UnitType(type: UInt8, expected: Bool) {
        let parameters: [UInt8] = [0, 0, 0, 1, 32 << 1, 1, 12, 1]
        #expect(isRandomAccessPoint(.h265, parameters + [0, 0, 1, type << 1, 1, 0x80, 0x80]) == expected)
    }

    @Test func unitsWithoutReadableSliceAreTakenAsMarked() {
        for bytes: [UInt8] in [[], [0], [0, 0, 1], [0, 0, 1, 0x41], Self.delimiter] {
            #expect(isRandomAccessPoint(.h264, bytes))
            #expect(isRandomAccessPoint(.av1, bytes))
        }
        for bytes: [UInt8] in [[], [0, 0, 0], [0, 0, 0, 9, 0x41], [0xff, 0xff, 0xff, 0xff, 6, 0]] {
            #expect(isRandomAccessPoint(.h264, lengthSize: 4, bytes))
            #expect(isRandomAccessPoint(.h265, lengthSize: 4, bytes))
        }
    }
}
