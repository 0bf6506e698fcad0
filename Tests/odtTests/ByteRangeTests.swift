import Testing

@testable import odt

@Suite("ByteRange")
struct ByteRangeTests {
    /// Only for the player: programs that resume a download do not request the rest.
    @Test func openRangeOfPlayerIsLimited() {
        let size = 3 * ByteRange.largest
        #expect(
            ByteRange.request("bytes=0-", size: size, largest: ByteRange.largest)
                == .part(ByteRange(first: 0, count: ByteRange.largest)))
        #expect(ByteRange.request("bytes=7-", size: size) == .part(ByteRange(first: 7, count: size - 7)))
        #expect(
            ByteRange.request("bytes=\(size - 10)-", size: size) == .part(ByteRange(first: size - 10, count: 10)))
    }

    @Test func rangeEndsWithTheFile() {
        #expect(ByteRange.request("bytes=5-99", size: 10) == .part(ByteRange(first: 5, count: 5)))
        #expect(ByteRange.request("bytes=-99", size: 10) == .part(ByteRange(first: 0, count: 10)))
        #expect(ByteRange.request("bytes=10-", size: 10) == .beyond)
        #expect(ByteRange.request("bytes=-0", size: 10) == .beyond)
    }

    @Test(arguments: [
        "", "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,3-4", "bytes=+1-2", "bytes=99999999999999999999-",
    ])
    func invalidRangeMeansWholeFile(_ header: String) {
        #expect(ByteRange.request(header, size: 10) == .whole)
    }
}
