import ODTPlayback
import Testing

@Suite("RedactionRequest")
struct RedactionRequestTests {
    private func word(_ style: String, _ labels: String, threshold: Double = 0.2) -> String? {
        RedactionRequest(style: style, labels: labels, threshold: threshold, isStrict: true)?.properties
    }

    @Test func wordNamesStyleLabelsAndThreshold() {
        #expect(word("blur", "") == "box-style=blur")
        #expect(word("blur", " Person,car ") == "box-style=blur privacy-labels=car,person")
        #expect(word("blur", "car, person") == word("blur", "person,CAR,car"))
        #expect(word("corners", "car") == "privacy-labels=car")
        #expect(word("corners", " , ") == nil)
        #expect(word("blur", "", threshold: 0.5) == "box-style=blur privacy-threshold=0.5")
        #expect(word("corners", "", threshold: 0.5) == nil)
    }
}
