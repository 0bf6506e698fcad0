import Testing

@testable import SwiftODT

/// Tests that ids do not pass between objects with different labels, and that they survive a detector's varying labels.
@Suite struct LabelAssociationTests {
    private func track(_ answers: [[Detection]]) -> [Track] {
        let tracker = Tracker()
        for (number, answer) in answers.enumerated() {
            let time = Nanoseconds(number) * 40_000_000
            tracker.advance(to: time, width: 640, height: 480, luma: nil)
            tracker.update(answer, seenAt: time)
        }
        return tracker.tracks
    }

    private func detection(_ label: Label, x: Double, width: Double) -> Detection {
        Detection(box: Box(x: x, y: 100, width: width, height: 200), score: 0.8, label: label)
    }

    private let person = Label(index: 0, text: "person")
    private let bicycle = Label(index: 1, text: "bicycle")

    @Test func otherLabelDoesNotTakeOverTrack() throws {
        let tracks = track(
            (0..<10).map { _ in [detection(person, x: 200, width: 100)] }
                + (0..<10).map { _ in [detection(bicycle, x: 230, width: 160)] })
        let newest = try #require(tracks.last { $0.state == .tracked })
        #expect(newest.label == bicycle && newest.id == 2)
    }

    @Test func occasionalOtherLabelKeepsID() {
        let answers = (0..<20).map { [detection($0 % 4 == 3 ? bicycle : person, x: 200, width: 100)] }
        let tracks = track(answers)
        #expect(tracks.map(\.id) == [1])
        #expect(tracks.first?.label == person)
    }
}
