import ODTPlayback
import Testing

@Suite("RedactionRequest")
struct RedactionRequestTests {
    private func properties(_ style: String, _ labels: String, threshold: Double = 0.2) -> String? {
        RedactionRequest(style: style, labels: labels, threshold: threshold, isStrict: true)?.properties
    }

    @Test func propertiesNameStyleLabelsAndThreshold() {
        #expect(properties("blur", "") == "box-style=blur")
        #expect(properties("blur", " Person,car ") == "box-style=blur privacy-labels=car,person")
        #expect(properties("blur", "car, person") == properties("blur", "person,CAR,car"))
        #expect(properties("corners", "car") == "privacy-labels=car")
        #expect(properties("corners", " , ") == nil)
        #expect(properties("blur", "", threshold: 0.5) == "box-style=blur privacy-threshold=0.5")
        #expect(properties("corners", "", threshold: 0.5) == nil)
    }
}
