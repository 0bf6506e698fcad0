import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests the text of labels: absent values leave no punctuation, and every text can be drawn.
@Suite struct LabelTextTests {
    private func text(
        _ format: String, label: String = "person", id: Int? = 3, score: Double = 0.87,
        category: SwiftODT.Category = .unknown, confidence: Double? = nil, ids: Bool = true, figures: Bool = true,
        classifies: Bool = false,
        coasting: Bool = false
    ) -> String {
        var options = AnnotatorOptions()
        options.labelFormat = format
        options.drawTrackingLabels = ids
        options.drawConfidence = figures
        options.classifies = classifies
        let object = AnnotatedObject(
            id: id, box: Box(x: 0, y: 0, width: 1, height: 1), label: label, category: category,
            confidence: confidence, score: score, coasting: coasting)
        return LabelText(options).text(for: object)
    }

    private static let usual = "{label} {confidence} #{id}"

    @Test func absentValueRemovesItsPunctuation() {
        #expect(text(Self.usual) == "person 87% #3")
        #expect(text(Self.usual, id: nil) == "person 87%")
        #expect(text(Self.usual, figures: false) == "person #3")
        #expect(text(Self.usual, label: "", figures: false) == "#3")
        #expect(text(Self.usual, ids: false, figures: false) == "person")
        #expect(text(Self.usual, label: "", ids: false, figures: false) == "")
        #expect(text(Self.usual, score: .nan) == "person #3")
    }

    @Test(arguments: [
        ("{label} ({confidence}, #{id})", "person (87%, #3)", "person (87%)", "person (#3)", "person"),
        ("{label}: {confidence} - id {id}", "person: 87% - id 3", "person: 87%", "person - id 3", "person"),
        ("[{id}] {label}", "[3] person", "person", "[3] person", "person"),
        ("{label}|{confidence}|{id}", "person|87%|3", "person|87%", "person|3", "person"),
        ("a {label}! {confidence} sure", "a person! 87% sure", "a person! 87% sure", "a person!", "a person!"),
        ("{id}", "3", "", "3", ""),
        ("#{id}: {label}", "#3: person", "person", "#3: person", "person"),
        ("{confidence}#{id}", "87%#3", "87%", "#3", ""),
        ("-{id}- {label}", "-3- person", "person", "-3- person", "person"),
        ("object", "object", "object", "object", "object"),
        ("", "", "", "", ""),
        ("{who} {label} {", "{who} person {", "{who} person {", "{who} person {", "{who} person {"),
        ("(({label}", "((person", "((person", "((person", "((person"),
        ("((x)", "((x)", "((x)", "((x)", "((x)"),
        ("((x) {label}", "((x) person", "((x) person", "((x) person", "((x) person"),
        ("{label} ([{id}] <{confidence}>)", "person ([3] <87%>)", "person (<87%>)", "person ([3])", "person"),
        ("([{id})] {label}", "([3)] person", "person", "([3)] person", "person"),
        (")({label}(", ")(person(", ")(person(", ")(person(", ")(person("),
    ])
    func patternExpandsWithAndWithoutValues(
        _ format: String, _ all: String, _ noID: String, _ noFigure: String, _ neither: String
    ) {
        #expect(text(format) == all)
        #expect(text(format, ids: false) == noID)
        #expect(text(format, figures: false) == noFigure)
        #expect(text(format, ids: false, figures: false) == neither)
    }

    /// Unbalanced or deeply nested brackets in a property must not crash the process.
    @Test func anyPatternIsAccepted() {
        for pattern in ["((x)", "(", ")", "((((", "[(<{id}", "{", "}", "{{id}}", "(]{id}[)", "<{label}"] {
            for (id, label) in [(3, "person"), (nil, "")] { _ = text(pattern, label: label, id: id) }
        }
        let deep = 100_000
        let pattern = String(repeating: "(", count: deep) + "{id}" + String(repeating: ")", count: deep)
        #expect(LabelFormat(pattern).text { _ in "3" }.utf8.count == 2 * deep + 1)
        #expect(LabelFormat(pattern).text { _ in nil } == "")
        #expect(text(pattern).utf8.count < 1000)
    }

    @Test func percentagesAreRoundedAndClamped() {
        #expect(text("{confidence}", confidence: 0.42) == "42%")
        #expect(text("{confidence}") == "87%")
        #expect(text("{score} {confidence}", confidence: 0.42) == "87% 42%")
        #expect(text("{score}", score: 7) == "100%")
        #expect(text("{score}", score: -.infinity) == "")
    }

    @Test func categoryReplacesMissingLabel() {
        #expect(text("{label}", label: "", category: .food) == "food")
        #expect(text("{label}", category: .food) == "person")
        #expect(text("{label} {category}", label: "", category: .food) == "food")
        #expect(text("{category}") == "")
    }

    @Test func percentageIsNotShownWithoutAName() {
        #expect(text("{label} {score} #{id}", label: "") == "#3")
        #expect(text("{category} {score} #{id}") == "#3")
        #expect(text("{category} {score}", category: .food) == "food 87%")
        #expect(text("{score} #{id}", label: "") == "87% #3")
    }

    @Test func defaultLabelShowsTheCategoryAndItsConfidence() {
        let usual = AnnotatorOptions().labelFormat
        #expect(text(usual, category: .homeGood, confidence: 0.42, classifies: true) == "person · home good 42% #3")
        #expect(text(usual, label: "", category: .homeGood, confidence: 0.42, classifies: true) == "home good 42% #3")
        // Without classification the confidence is the detection score.
        #expect(text(usual) == "person 87% #3")
    }

    @Test func detectionScoreIsNotShownAsConfidenceOfClassifiedObjects() {
        #expect(text(Self.usual, classifies: true) == "person #3")
        #expect(text("{score} {confidence}", classifies: true) == "87%")
    }

    /// ``CoastingDisplayPolicy`` removes outdated values. A single missed detection changes no text.
    @Test func coastingTrackKeepsItsPercentage() {
        #expect(text(Self.usual, coasting: true) == "person 87% #3")
        #expect(text("{label} {score}", coasting: true) == "person 87%")
        #expect(text(Self.usual, score: .nan, coasting: true) == "person #3")
        #expect(text(Self.usual, id: nil, coasting: true) == "person 87%")
    }

    @Test func labelOfCustomClassifierReplacesCategory() {
        var options = AnnotatorOptions()
        options.classifies = true
        let object = AnnotatedObject(
            id: 3, box: Box(x: 0, y: 0, width: 1, height: 1), label: "bird", category: .food,
            classifierLabel: "European robin", confidence: 0.83)
        #expect(LabelText(options).text(for: object) == "bird · European robin 83% #3")
    }

    @Test(arguments: [("{label} · {category} #{id}", "bird", true), ("{label}", "bird", false), ("{label}", "", true)])
    func textContainsClassifierLabelInPlaceOfCategory(_ format: String, _ label: String, _ isContained: Bool) {
        var options = AnnotatorOptions()
        options.labelFormat = format
        let object = AnnotatedObject(
            id: 3, box: Box(x: 0, y: 0, width: 1, height: 1), label: label, classifierLabel: "ro\nbin")
        #expect(LabelText(options).classifierLabel(of: object) == (isContained ? "ro bin" : nil))
        #expect(LabelText(options).text(for: object).contains("ro bin") == isContained)
    }

    /// If the end of the text were truncated instead, the percentage would not be visible.
    @Test(arguments: [(4, 150), (150, 4), (0, 150)])
    func longerOfLabelAndClassifierLabelIsShortened(_ length: Int, _ classifierLength: Int) {
        var options = AnnotatorOptions()
        options.classifies = true
        let pictures = [0.83, 0.27].map { confidence in
            let object = AnnotatedObject(
                id: 3, box: Box(x: 10, y: 60, width: 100, height: 100), label: String(repeating: "a", count: length),
                classifierLabel: String(repeating: "b", count: classifierLength), confidence: confidence)
            let picture = Painting(width: 320, height: 240)
            picture.withFrame { Annotator().draw([object], options: options, into: $0) }
            return picture.pixels
        }
        #expect(pictures[0] != pictures[1])
    }

    @Test func shortTextsAreTheLabelAndTheID() {
        func short(
            _ format: String, id: Int? = 22, label: String = "person", ids: Bool = true, classifierLabel: String? = nil
        ) -> [String] {
            var options = AnnotatorOptions()
            options.labelFormat = format
            options.drawTrackingLabels = ids
            let object = AnnotatedObject(
                id: id, box: Box(x: 0, y: 0, width: 1, height: 1), label: label, classifierLabel: classifierLabel,
                score: 0.87)
            let text = LabelText(options)
            return text.shortTexts(for: object, insteadOf: text.text(for: object))
        }
        #expect(short(Self.usual) == ["person", "#22"])
        #expect(short("[{id}] {label}") == ["person", "[22]"])
        #expect(short(Self.usual, label: "") == [])
        #expect(short(Self.usual, id: nil) == ["person"])
        #expect(short(Self.usual, ids: false) == ["person"])
        #expect(short("{label}") == [])
        #expect(short("#{id}") == [])
        #expect(short("{confidence}", label: "") == [])
        #expect(short(AnnotatorOptions().labelFormat, label: "", classifierLabel: "robin") == ["robin", "#22"])
        #expect(short(AnnotatorOptions().labelFormat, classifierLabel: "robin") == ["person", "#22"])
    }

    @Test func controlCharactersAreReplaced() {
        #expect(text("{label}", label: "a\nb\u{0}c\t d ") == "a b c d")
        #expect(text("{label}", label: "<b>&amp;\"</b>") == "<b>&amp;\"</b>")
        #expect(text("{label}", label: "a\u{202E}b\u{200B}c\u{2066}") == "abc")
        // Joiners and non-joiners of Persian and Hindi are kept.
        let joined = "\u{646}\u{200C}\u{645}\u{94D}\u{200D}"
        #expect(text("{label}", label: joined) == "\u{2068}\(joined)\u{2069}")
        let broken = String(decoding: [0x61, 0xFF, 0x62], as: UTF8.self)
        #expect(text("{label}", label: broken) == "\u{2068}a\u{FFFD}b\u{2069}")
        #expect(text("{label}", label: "自転車 🚲") == "\u{2068}自転車 🚲\u{2069}")
        let long = text("{label} #{id}", label: String(repeating: "very ", count: 500))
        #expect(long.hasSuffix("…\u{2069} #3") && long.count < 200)
        // One character may consist of any number of Unicode scalars.
        let parts = String(repeating: "\u{301}", count: 100_000)
        let tower = text("{label} #{id}", label: "e\(parts)")
        #expect(tower.hasSuffix("…\u{2069} #3") && tower.utf8.count < 1000)
    }
}
