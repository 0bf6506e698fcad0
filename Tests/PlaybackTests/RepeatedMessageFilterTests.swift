import Playback
import SwiftODT
import Testing

@Suite("Sentences that are repeated")
struct RepeatedMessageFilterTests {
    private let said = Monitor([String]())
    private var sentences: RepeatedMessageFilter { RepeatedMessageFilter { [said] text in said.update { $0.append(text) } } }

    /// A decoder that complains of each picture, 25 times a second for a day, once wrote two million lines.
    @Test func repeatedMessagesAreLoggedHourlyWithCount() {
        let sentences = sentences
        for picture in 0..<(25 * 3600) {
            sentences.notify("picture \(picture) is broken", now: Int64(picture) * 40_000_000)
        }
        sentences.notify("picture 90000 is broken", now: RepeatedMessageFilter.pause)
        #expect(
            said.read { $0 } == [
                "picture 0 is broken", "picture 90000 is broken (and 89999 times more since it was last said)",
            ])
    }

    @Test func differentMessagesAreLoggedAtOnce() {
        let sentences = sentences
        for text in ["the stream ended", "is there again", "the stream ended"] { sentences.notify(text, now: 0) }
        #expect(said.read { $0 } == ["the stream ended", "is there again"])
    }

    /// What is remembered does not grow, whatever is said.
    @Test func oldMessagesAreDropped() {
        let sentences = sentences
        for number in 0..<1000 { sentences.notify(String(repeating: "a", count: number), now: Int64(number)) }
        sentences.notify("", now: 1000)
        #expect(said.read { $0.count } == 1001)
    }
}
