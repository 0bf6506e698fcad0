import Testing

@testable import SwiftODT

/// Tests the label of a track: it is stable, and there is none while several labels compete.
@Suite struct LabelVotesTests {
    private let car = Label(index: 2, text: "car")
    private let truck = Label(index: 7, text: "truck")
    private let names = ["cell phone", "remote", "sink", "car"].enumerated().map { Label(index: $0, text: $1) }

    /// Returns the winning label after each vote, with `rate` votes per second.
    private func names(_ answers: [Label?], rate: Double = 10) -> [String] {
        var votes = LabelVotes()
        return answers.enumerated().map { number, label in
            votes.vote(label, weight: 0.6, after: number == 0 ? 0 : Nanoseconds(1e9 / rate))
            return votes.winner?.text ?? ""
        }
    }

    @Test func firstDetectionSetsLabel() { #expect(names([car]) == ["car"]) }

    @Test func singleOutlierKeepsLabel() {
        #expect(names([car, car, car, truck, car, nil, truck, car]).allSatisfy { $0 == "car" })
    }

    /// The detector alternates between two labels several times per second.
    @Test func alternatingLabelsGiveNone() {
        let said = names((0..<40).map { $0 / 2 % 2 == 0 ? car : truck })
        #expect(said.dropFirst(10).allSatisfy { $0.isEmpty })
    }

    @Test func fourCompetingLabelsGiveNone() {
        let said = names((0..<40).map { names[$0 % 4] })
        #expect(said.dropFirst(4).allSatisfy { $0.isEmpty })
    }

    /// The label changes through a state without a label, in about the same time at any rate.
    @Test(arguments: [5.0, 30])
    func lastingChangeUpdatesLabel(_ rate: Double) throws {
        let said = names(
            (0..<Int(4 * rate)).map { _ in car } + (0..<Int(8 * rate)).map { _ in truck }, rate: rate)
        var order: [String] = []
        for name in said where name != order.last { order.append(name) }
        #expect(order == ["car", "", "truck"])
        let doubted = try #require(said.firstIndex(of: ""))
        let renamed = try #require(said.firstIndex(of: "truck"))
        #expect((0.7...2.0).contains(Double(doubted) / rate - 4))
        #expect((1.5...4.0).contains(Double(renamed) / rate - 4))
    }
}
