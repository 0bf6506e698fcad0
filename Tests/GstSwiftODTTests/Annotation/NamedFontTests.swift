import Testing

@testable import GstSwiftODT

/// Tests the parsing of font names with style and size, and the detection of missing fonts.
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

    /// Words that Pango parses as a style may be part of a family name.
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

    /// No font name crashes the process, and overlong names are truncated.
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
