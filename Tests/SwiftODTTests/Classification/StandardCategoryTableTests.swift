import Foundation
import Testing

@testable import SwiftODT

/// Verifies that the standard table has a category for every label of the common vocabularies.
///
/// The lists in `Labels` are the original vocabularies in their original order; they are not generated from the table.
@Suite struct StandardCategoryTableTests {
    private static func labels(_ vocabulary: String) throws -> [String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Labels/\(vocabulary).txt")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test(arguments: [("coco", 91), ("imagenet", 1000)])
    func everyLabelHasACategory(_ vocabulary: String, _ count: Int) throws {
        let labels = try Self.labels(vocabulary)
        #expect(labels.count == count)
        let unlisted = zip(labels, CategoryTable.standard.categories(of: labels)).filter { $1 == nil }.map(\.0)
        #expect(unlisted == [])
        #expect(labels.filter { CategoryTable.standard.category(of: $0) == nil } == [])
    }

    @Test func openImagesTableHasAllClasses() {
        let lines = String(decoding: PackageResources.open_images_tsv, as: UTF8.self).split(separator: "\n")
        let labels = Set(lines.filter { !$0.hasPrefix("#") }.map { String($0.prefix { $0 != "\t" }) })
        #expect(labels.count == 601)
        #expect(labels.isSuperset(of: ["Human face", "Traffic light", "Zucchini"]))
        #expect(labels.filter { CategoryTable.standard.category(of: $0) == nil } == [])
    }

    @Test func everyVocabularyFileIsParsed() throws {
        for text in CategoryTable.vocabularies {
            #expect(throws: Never.self) { try CategoryTable(text: String(decoding: text, as: UTF8.self)) }
        }
    }

    @Test func commonLabelsHaveExpectedCategory() {
        let evident: [(String, SwiftODT.Category)] = [
            ("banana", .food), ("pizza", .food), ("Wine", .food), ("handbag", .fashionGood), ("sneakers", .fashionGood),
            ("Sunglasses", .fashionGood), ("chair", .homeGood), ("refrigerator", .homeGood), ("tvmonitor", .homeGood),
            ("television", .homeGood), ("potted plant", .plant), ("Tree", .plant), ("daisy", .plant),
            ("Lighthouse", .place), ("castle", .place), ("volcano", .place), ("person", .unknown), ("dog", .unknown),
            ("car", .unknown),
        ]
        for (label, category) in evident {
            #expect(CategoryTable.standard.category(of: label) == category, "\(label)")
        }
    }

    @Test func ambiguousLabelUsesItsVocabulary() throws {
        let imageNet = try Self.labels("imagenet")
        let categories = CategoryTable.standard.categories(of: imageNet)
        // "Cardigan" is a corgi and a garment. In ImageNet, "plate" is a plate of food and "plane" a carpenter's plane.
        #expect(categories[264] == .unknown)
        #expect(categories[474] == .fashionGood)
        #expect(categories[923] == .food)
        #expect(CategoryTable.standard.category(of: "plate") == .homeGood)
        #expect(CategoryTable.standard.category(of: "plane") == .unknown)
        #expect(categories[726] == .homeGood)
    }
}
