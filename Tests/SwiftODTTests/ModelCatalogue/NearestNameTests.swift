import SwiftODT
import Testing

@Suite struct NearestNameTests {
    private let names = ["person", "car", "cat", "dog", "traffic light"]

    @Test(arguments: [
        ("persn", "person"), ("persons", "person"), ("Preson", "person"), ("peson", "person"), ("dgo", "dog"),
        ("trafic ligt", "traffic light"), ("PERSON", "person"),
    ])
    func misspelledNamesFindTheirName(_ misspelled: String, _ name: String) {
        #expect(nearestName(to: misspelled, in: names) == name)
    }

    @Test(arguments: ["", "face", "bicycle", "x"]) func distantNamesFindNothing(_ misspelled: String) {
        #expect(nearestName(to: misspelled, in: names) == nil)
    }

    @Test func firstOfEquallyNearNamesIsReturned() {
        #expect(nearestName(to: "caz", in: names) == "car")
        #expect(nearestName(to: "cat", in: names) == "cat")
        #expect(spellingSuggestion(for: "caz", in: names) == "did you mean 'car'?")
    }

    @Test func longNamesAreNotNearShortOnes() {
        #expect(nearestName(to: "person", in: [String(repeating: "person", count: 10_000)]) == nil)
    }
}
