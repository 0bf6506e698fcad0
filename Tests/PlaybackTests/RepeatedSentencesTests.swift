import Playback
import SwiftODT
import Testing

@Suite("Sentences that are repeated")
struct RepeatedSentencesTests {
    private let said = Monitor([String]())
    private var sentences: RepeatedSentences { RepeatedSentences { [said] text in said.update { $0.append(text) } } }

    /// A decoder that complains of each picture, 25 times a second for a day, once wrote two million lines.
    @Test func areSaidOnceAnHourAndCounted() {
        let sentences = sentences
        for picture in 0..<(25 * 3600) {
            sentences.say("picture \(picture) is broken", now: Int64(picture) * 40_000_000)
        }
        sentences.say("picture 90000 is broken", now: RepeatedSentences.pause)
        #expect(
            said.read { $0 } == [
                "picture 0 is broken", "picture 90000 is broken (and 89999 times more since it was last said)",
            ])
    }

    @Test func othersAreSaidMeanwhile() {
        let sentences = sentences
        for text in ["the stream ended", "is there again", "the stream ended"] { sentences.say(text, now: 0) }
        #expect(said.read { $0 } == ["the stream ended", "is there again"])
    }

    /// What is remembered does not grow, whatever is said.
    @Test func someAreForgotten() {
        let sentences = sentences
        for number in 0..<1000 { sentences.say(String(repeating: "a", count: number), now: Int64(number)) }
        sentences.say("", now: 1000)
        #expect(said.read { $0.count } == 1001)
    }
}
