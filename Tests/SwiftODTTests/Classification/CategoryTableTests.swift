import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests the mapping from a model's label to a coarse category.
@Suite struct CategoryTableTests {
    @Test func lookupNormalisesSpellingAndSynonyms() throws {
        let table = try CategoryTable(text: "# comment\n\ntv\thome good\ntabby\tunknown\r\npotted plant\tplant\n")
        #expect(table.category(of: "TV") == .homeGood)
        #expect(table.category(of: "potted_plant") == .plant)
        #expect(table.category(of: " Potted-Plant ") == .plant)
        #expect(table.category(of: "tabby, tabby cat") == .unknown)
        #expect(table.category(of: "television, tv") == .homeGood)
        #expect(table.category(of: "tabby cat") == nil)
    }

    @Test(arguments: ["banana", "banana\tfruit", "banana\tfood\tplant", "banana\tfood\nbanana\tplant"])
    func invalidLineIsNamed(_ text: String) {
        #expect { try CategoryTable(text: text, name: "mine.tsv") } throws: { error in
            (error as? ODTError)?.reason == .invalidFile && "\(error)".contains("mine.tsv")
        }
    }

    @Test func lookupIsCaseSensitiveOnlyForListedPairs() throws {
        let table = try CategoryTable(text: "Cardigan\tunknown\ncardigan\tfashion good\nPug\tunknown")
        #expect(table.category(of: "Cardigan") == .unknown)
        #expect(table.category(of: "cardigan") == .fashionGood)
        #expect(table.category(of: "CARDIGAN") == .fashionGood)
        #expect(table.category(of: "pug") == .unknown)
    }

    @Test func overridingTableTakesPrecedence() throws {
        let base = try CategoryTable(text: "mouse\tunknown\nchair\thome good")
        let mine = try CategoryTable(text: "mouse\thome good")
        #expect(base.overridden(by: mine).category(of: "mouse") == .homeGood)
        #expect(base.overridden(by: mine).category(of: "chair") == .homeGood)
    }

    /// The vocabulary with most labels precedes the other built-in ones, but not the user's table.
    @Test func tableOfUserPrecedesVocabularyOfModel() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(CategoryTable.userFile, "tabby\tfood\n")
        let labels = ["tabby", "tiger cat", "Persian cat", "banana"]
        #expect(try CategoryTable.installed(folders: [folder.path]).categories(of: labels)[0] == .food)
        #expect(CategoryTable.standard.categories(of: labels)[0] != .food)
    }

    @Test func numbersOfWordNetAreSkipped() throws {
        let table = try CategoryTable(text: "banana\tfood\n")
        #expect(table.category(of: "n07753592 banana") == .food && table.category(of: "n07753592") == nil)
    }

    @Test func labelsAreReadByTheirVocabulary() throws {
        let animals = try CategoryTable(text: "mouse\tunknown\ncat\tunknown\ndog\tunknown")
        let devices = try CategoryTable(text: "mouse\thome good\nkeyboard\thome good")
        let table = devices.overridden(by: animals)
        #expect(table.category(of: "mouse") == .unknown)
        #expect(table.categories(of: ["mouse", "keyboard"]) == [.homeGood, .homeGood])
        #expect(table.categories(of: ["mouse", "cat", "gnu"]) == [.unknown, .unknown, nil])
    }
}
