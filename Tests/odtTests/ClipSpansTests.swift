import SwiftODT
import Testing

@testable import odt

@Suite("ClipSpans")
struct ClipSpansTests {
    private let second: Nanoseconds = 1_000_000_000
    private var spans = ClipSpans(before: 5_000_000_000, after: 5_000_000_000)
    private let picture = ClipPicture(isRequested: false)

    @Test mutating func eventsWithinClipExtendIt() throws {
        #expect(spans.add(at: 10 * second, wall: 100 * second, picture: picture) == true)
        #expect(spans.add(at: 14 * second, wall: 104 * second, picture: picture) == false)
        let span = try #require(spans.first)
        #expect((span.start, span.end, span.wall) == (5 * second, 19 * second, 95 * second))
        #expect(spans.finish(before: 19 * second) == nil)
        #expect(spans.finish(before: 19 * second + 1) != nil)
        #expect(spans.first == nil)
    }

    @Test mutating func clipBeginsWithStream() throws {
        _ = spans.add(at: 2 * second, wall: 100 * second, picture: picture)
        let span = try #require(spans.first)
        #expect((span.start, span.wall) == (0, 98 * second))
    }

    @Test mutating func continuousEventsBeginNewClips() {
        var count = 0
        for time in 1...200 where spans.add(at: Nanoseconds(time) * second, wall: 0, picture: picture) {
            count += 1
            // The first clip has to end for the next one to be its own file.
            _ = spans.finish(before: Nanoseconds(time) * second)
        }
        #expect((3...5).contains(count))
    }

    @Test mutating func laterEventBeginsAnotherClip() {
        _ = spans.add(at: 10 * second, wall: 0, picture: picture)
        #expect(spans.add(at: 16 * second, wall: 0, picture: picture) == true)
        #expect(spans.finish(before: .max)?.start == 5 * second)
        #expect(spans.finish(before: .max)?.start == 15 * second)
    }

    @Test mutating func numberOfClipsIsLimited() {
        var begun: [Int] = []
        for number in 0..<20 where spans.add(at: Nanoseconds(20 * number) * second, wall: 0, picture: picture) {
            begun.append(number)
        }
        #expect(begun == Array(0..<8))
    }
}
