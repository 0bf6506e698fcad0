/// Maps labels to coarse categories.
///
/// A table contains several vocabularies, which are searched in order. Each vocabulary has its own mapping, because a
/// word can have different meanings in different models (a *crane* is a bird or a machine).
///
///     let table = try CategoryTable.installed()
///     print(table.category(of: "banana") == .food)
package struct CategoryTable: Sendable {
    /// The mapping from normalised labels to categories, one dictionary for each vocabulary. The first vocabulary that
    /// contains a label determines its category.
    private var vocabularies: [[String: Category]]
    /// The number of vocabularies at the beginning that the user has defined. They precede all others in any case.
    private var userCount = 0

    /// Parses a table. Each line has a label, a tab and the name of a category. Lines that begin with `#` are comments.
    ///
    /// - Throws: ``ODTError`` with the number of an invalid line.
    package init(text: String, name: String = "the category table") throws(ODTError) {
        vocabularies = [try Self.parse(text, name: name)]
    }

    package init() {
        vocabularies = []
    }

    /// Returns a table with the entries of both tables. The entries of `other` take precedence.
    package func overridden(by other: CategoryTable) -> CategoryTable {
        var both = self
        both.vocabularies = other.vocabularies + vocabularies
        both.userCount = other.userCount + userCount
        return both
    }

    /// Returns the category of a label. `nil` if no vocabulary contains the label.
    ///
    /// Underscores, hyphens and spaces are equivalent. Case is significant only if a vocabulary contains both spellings
    /// (*Cardigan* is also a dog breed). In a list of synonyms (`tabby, tabby cat`), the first known synonym is used.
    package func category(of label: String) -> Category? {
        Self.category(of: label, in: vocabularies)
    }

    /// Returns the categories of all labels of a model. After the user's vocabularies, the vocabulary that contains most
    /// of the labels is searched first, so it determines the meaning of ambiguous words.
    package func categories(of labels: [String]) -> [Category?] {
        let coverage = vocabularies.map { vocabulary in
            labels.count { Self.category(of: $0, in: [vocabulary]) != nil }
        }
        var ordered = vocabularies
        if let best = (userCount..<vocabularies.count).max(by: { coverage[$0] < coverage[$1] }) {
            ordered.insert(ordered.remove(at: best), at: userCount)
        }
        return labels.map { Self.category(of: $0, in: ordered) }
    }

    private static func category(of label: String, in vocabularies: [[String: Category]]) -> Category? {
        if let category = find(label, in: vocabularies) { return category }
        if let name = nameAfterSynset(label) { return Self.category(of: name, in: vocabularies) }
        guard label.contains(",") else { return nil }
        for synonym in label.split(separator: ",") {
            if let category = find(String(synonym), in: vocabularies) { return category }
        }
        return nil
    }

    /// Returns the name in a label such as `n02123045 tabby, tabby cat`, which begins with a number of WordNet.
    private static func nameAfterSynset(_ label: String) -> String? {
        let word = label.prefix { !$0.isWhitespace }
        guard word.count == 9, word.first == "n", word.dropFirst().allSatisfy(\.isWholeNumber), word.count < label.count
        else { return nil }
        return String(label.dropFirst(word.count + 1))
    }

    private static func find(_ label: String, in vocabularies: [[String: Category]]) -> Category? {
        let spelling = singleSpaced(label)
        let lowercased = spelling.lowercased()
        for vocabulary in vocabularies {
            if let category = vocabulary[spelling] ?? vocabulary[lowercased] { return category }
        }
        return nil
    }

    /// Replaces each sequence of white space, underscores and hyphens by a single space.
    private static func singleSpaced(_ label: String) -> String {
        label.split { $0.isWhitespace || $0 == "_" || $0 == "-" }.joined(separator: " ")
    }

    private static func parse(_ text: String, name: String) throws(ODTError) -> [String: Category] {
        var entries: [String: Category] = [:]
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.hasPrefix("#") || line.allSatisfy(\.isWhitespace) { continue }
            let fields = line.split(separator: "\t")
            guard fields.count == 2, let category = categoriesByName[singleSpaced(String(fields[1])).lowercased()]
            else {
                throw ODTError(
                    .invalidFile,
                    "line \(number + 1) of \(name) is \"\(line)\"; expected a label, a tab and one of "
                        + Category.allCases.map(\.name).joined(separator: ", "))
            }
            let label = singleSpaced(String(fields[0]))
            if let other = entries.updateValue(category, forKey: label), other != category {
                throw ODTError(
                    .invalidFile,
                    "line \(number + 1) of \(name) assigns \"\(label)\" to \(category.name), "
                        + "an earlier line assigns it to \(other.name); remove one of them")
            }
        }
        return entries.merging(entries.map { ($0.key.lowercased(), $0.value) }) { listed, _ in listed }
    }

    private static let categoriesByName = Dictionary(uniqueKeysWithValues: Category.allCases.map { ($0.name, $0) })

    /// The file name of a user-defined category table in a model folder.
    static let userFile = "categories.tsv"

    /// Returns the standard table, overridden by `categories.tsv` from the model folders. Earlier folders take
    /// precedence.
    ///
    /// - Throws: ``ODTError`` that names an invalid line.
    package static func installed(folders: [String] = ModelSearchPath.folders) throws -> CategoryTable {
        try folders.reversed().map { $0 + "/" + userFile }.filter { FileBytes.size($0) != nil }.reduce(standard) {
            let text = String(decoding: try FileBytes.read($1, limit: 4 << 20), as: UTF8.self)
            var table = try CategoryTable(text: text, name: $1)
            table.userCount = 1
            return $0.overridden(by: table)
        }
    }

    /// The labels of COCO, Open Images, other common models and ImageNet-1k, from the files in `Vocabularies`.
    /// If vocabularies assign different categories to a label, the first vocabulary in this order is used.
    ///
    /// The table is created at first use.
    package static let standard = vocabularies.reduce(CategoryTable()) { table, text in
        // The embedded files are valid. The tests parse each of them.
        guard let vocabulary = try? CategoryTable(text: String(decoding: text, as: UTF8.self)) else { return table }
        return vocabulary.overridden(by: table)
    }

    static var vocabularies: [[UInt8]] {
        [
            PackageResources.coco_tsv, PackageResources.open_images_tsv, PackageResources.more_tsv,
            PackageResources.imagenet_tsv,
        ]
    }
}
