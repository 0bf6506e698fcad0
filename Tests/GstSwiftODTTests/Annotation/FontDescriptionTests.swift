import Testing

@testable import GstSwiftODT

/// Protects the font property: names as people write them, with style and size at the end.
@Suite struct FontDescriptionTests {
    @Test func namesAreTakenApart() {
        let plain = FontDescription("Sans")
        #expect(plain.family == "Sans" && !plain.bold && !plain.italic && plain.size == nil)
        let full = FontDescription("DejaVu Sans Bold Italic 14")
        #expect(full.family == "DejaVu Sans" && full.bold && full.italic && full.size == 14)
        #expect(FontDescription("Bold").family == "Bold")
        #expect(FontDescription("  ").family == "Sans")
        #expect(FontDescription("Serif, 20").size == 20)
        #expect(FontDescription("14").family == "14")
    }
}
