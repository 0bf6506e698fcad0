import Playback
import Testing

@Suite("RedactionRequest")
struct RedactionRequestTests {
    private func word(_ style: String, _ labels: String) -> String? {
        RedactionRequest(style: style, labels: labels, isStrict: true)?.word
    }

    @Test func wordNamesStyleAndLabels() {
        #expect(word("blur", "") == "box-style=blur")
        #expect(word("blur", " Person,car ") == "box-style=blur privacy-labels=car,person")
        #expect(word("blur", "car, person") == word("blur", "person,CAR,car"))
        #expect(word("corners", "car") == "privacy-labels=car")
        #expect(word("corners", " , ") == nil)
    }
}
