import Testing

@testable import SwiftODT

/// Tests frames that own their pixels.
@Suite struct OwnedFrameTests {
    /// 4 x 2 pixels of NV12 with rows of 6 bytes in the first plane and 4 in the second one.
    static let padded: [UInt8] = [1, 2, 3, 4, 0, 0, 5, 6, 7, 8, 0, 0, 9, 10, 11, 12]

    @Test func planesAreCopiedWithoutPadding() throws {
        let frame = try Frame(
            format: .nv12, width: 4, height: 2, bytes: Self.padded, bytesPerRow: [6, 4],
            timestamp: MediaTime(seconds: 2))
        #expect(frame.timestamp.nanoseconds == 2_000_000_000 && frame.colorSpace == .standardDefinition)
        frame.withUnsafeBytes(ofPlane: 0) { bytes, bytesPerRow in
            #expect(bytesPerRow == 4 && bytes.elementsEqual([1, 2, 3, 4, 5, 6, 7, 8]))
        }
        #if compiler(>=6.2)
            let chroma = frame.withBytes(ofPlane: 1) { bytes, _ in
                bytes.byteOffsets.map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
            }
            #expect(chroma == [9, 10, 11, 12])
        #endif
    }

    /// A `LazyMapCollection` has no contiguous storage.
    @Test func anyCollectionOfBytesIsAccepted() throws {
        let frame = try Frame(format: .gray8, width: 2, height: 2, bytes: (1...4).lazy.map { UInt8($0) })
        frame.withUnsafeBytes(ofPlane: 0) { bytes, _ in #expect(bytes.elementsEqual([1, 2, 3, 4])) }
    }

    @Test func changedCopiesShareThePixels() throws {
        let frame = try Frame(format: .gray8, width: 2, height: 1, bytes: [1, 2])
        let turned = frame.with(orientation: .rotate90).with(timestamp: MediaTime(seconds: 1))
        #expect(turned.orientation == .rotate90 && turned.timestamp.seconds == 1 && frame.orientation == .identity)
        #expect(turned.plane(0).base == frame.plane(0).base)
    }

    @Test(
        arguments: [
            (width: 0, height: 2, rows: nil), (width: 1 << 20, height: 1 << 20, rows: nil),
            (width: 4, height: 3, rows: nil), (width: 2, height: 2, rows: nil),
            (width: 4, height: 2, rows: [4]), (width: 4, height: 2, rows: [3, 4]),
            (width: 4, height: 2, rows: [-4, 4]),
            (width: 4, height: 2, rows: [Int.max, 4]),
        ] as [(width: Int, height: Int, rows: [Int]?)])
    func invalidSizesAreErrors(_ width: Int, _ height: Int, _ rows: [Int]?) {
        #expect(throws: ODTError.self) {
            try Frame(format: .nv12, width: width, height: height, bytes: Self.padded, bytesPerRow: rows)
        }
    }

    @Test func encodedPictureIsDecoded() throws {
        let frame = try Frame(encoded: EncodedPictures.pngRedAndBlue)
        #expect(frame.width > 0 && frame.format == .bgrx)
        #expect(throws: ODTError.self) { try Frame(encoded: [1, 2, 3]) }
        #expect(throws: ODTError.self) { try Frame(contentsOfFile: "/nowhere.png") }
    }
}
