import Testing

@testable import GstSwiftODT

/// Protects the font property: names as people write them, with style and size at the end, and the word on those that are
/// not there.
@Suite struct NamedFontTests {
    @Test func fontNameIsParsed() {
        let plain = NamedFont("Sans")
        #expect(plain.family == "Sans" && plain.size == nil)
        let full = NamedFont("DejaVu Sans Bold Italic 14")
        #expect(full.family == "DejaVu Sans" && full.size == 14)
        #expect(NamedFont("  ").family == "Sans")
        #expect(NamedFont("Bold").family == "Sans")
        #expect(NamedFont("Serif, 20").family == "Serif")
        #expect(NamedFont("Serif, 20").size == 20)
        #expect(NamedFont("Nobodys, Serif Semi-Bold 9.5px").family == "Nobodys,Serif")
        #expect(NamedFont("Nobodys, Serif Semi-Bold 9.5px").size == 9.5)
    }

    /// Words that Pango takes for a style are part of many a name.
    @Test func familyNameKeepsItsLastWord() {
        #expect(NamedFont("Nobodys New Roman Bold 12").family == "Nobodys New Roman")
        #expect(NamedFont("Nobodys New Roman Bold 12").size == 12)
        #expect(NamedFont("Nobodys Black").family == "Nobodys Black")
        #expect(NamedFont("Sans Black").family == "Sans")
    }

    @Test func missingFontIsReplaced() {
        #expect(NamedFont("Sans Light 9").find() == .found)
        guard case .replaced(let other) = NamedFont("Nobodys").find() else {
            return #expect(Bool(false), "a font that nobody has was found")
        }
        #expect(NamedFont(other).find() == .found)
        #expect(NamedFont("Nobodys, \(other) Bold").find() == .found)
        #expect(NamedFont(other.replacing(" ", with: "-").lowercased()).find() == .found)
    }

    /// What a program may set: no text ends the process, and none is taken whole that is longer than any name.
    @Test func anyFontNameIsAccepted() {
        let long = String(repeating: "x", count: 100_000)
        let short = ["\u{0}, 12", "Sans 1e999", "Sans nan", "Sans -4", ",,,", "@wght=", "Sans #kern=0"]
        for text in short + [long, long + " 12"] {
            let font = NamedFont(text)
            #expect(font.family.utf8.count <= 1000)
            #expect(font.size.map { $0 > 0 && $0.isFinite } ?? true)
            _ = font.find()
        }
    }
}
