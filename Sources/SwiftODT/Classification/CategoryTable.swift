/// Which coarse category a label belongs to.
///
/// A table is made of vocabularies, asked in order: a word may mean different things to different models (a *crane* flies
/// or lifts, a *mouse* squeaks or clicks), so every vocabulary keeps its own reading of it.
///
///     let table = try CategoryTable.installed()
///     print(table.category(of: "banana") == .food)
public struct CategoryTable: Sendable {
    /// Normalised label to category, one dictionary a vocabulary.
    private var vocabularies: [[String: Category]]

    /// Reads a table from text: one label a line, a tab, and the name of its category. Lines that begin with `#` are
    /// comments.
    /// - Throws: ``ODTError`` that names the line, where one cannot be read.
    public init(text: String, name: String = "the category table") throws {
        vocabularies = [try Self.parse(text, name: name)]
    }

    /// A table that knows no label.
    public init() {
        vocabularies = []
    }

    /// Both tables as one, in which the other has the first word.
    public func overridden(by other: CategoryTable) -> CategoryTable {
        var both = self
        both.vocabularies = other.vocabularies + vocabularies
        return both
    }

    /// The category of a label, `nil` where no vocabulary knows it.
    ///
    /// Underscores and hyphens make no difference, upper and lower case only where a vocabulary lists both (a *Cardigan*
    /// barks). Of a list of synonyms (`tabby, tabby cat`) the first one known decides.
    public func category(of label: String) -> Category? {
        Self.category(of: label, in: vocabularies)
    }

    /// The categories of all labels of a model. Knowing all of them helps to read each: the vocabulary that knows most
    /// of them is asked first.
    public func categories(of labels: [String]) -> [Category?] {
        let coverage = vocabularies.map { vocabulary in
            labels.count { Self.category(of: $0, in: [vocabulary]) != nil }
        }
        var ordered = vocabularies
        if let best = coverage.indices.max(by: { coverage[$0] < coverage[$1] }) {
            ordered.insert(ordered.remove(at: best), at: 0)
        }
        return labels.map { Self.category(of: $0, in: ordered) }
    }
}

extension CategoryTable {
    private static func category(of label: String, in vocabularies: [[String: Category]]) -> Category? {
        if let category = find(label, in: vocabularies) { return category }
        guard label.contains(",") else { return nil }
        for synonym in label.split(separator: ",") {
            if let category = find(String(synonym), in: vocabularies) { return category }
        }
        return nil
    }

    private static func find(_ label: String, in vocabularies: [[String: Category]]) -> Category? {
        let spelling = singleSpaced(label)
        let lowercased = spelling.lowercased()
        for vocabulary in vocabularies {
            if let category = vocabulary[spelling] ?? vocabulary[lowercased] { return category }
        }
        return nil
    }

    /// Single spaces for everything that separates words.
    private static func singleSpaced(_ label: String) -> String {
        label.split { $0.isWhitespace || $0 == "_" || $0 == "-" }.joined(separator: " ")
    }

    private static func parse(_ text: String, name: String) throws -> [String: Category] {
        var entries: [String: Category] = [:]
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.hasPrefix("#") || line.allSatisfy(\.isWhitespace) { continue }
            let fields = line.split(separator: "\t")
            guard fields.count == 2, let category = categoriesByName[singleSpaced(String(fields[1])).lowercased()]
            else {
                throw ODTError(
                    .invalidFile,
                    "line \(number + 1) of \(name) is \"\(line)\": it has to be a label, a tab and one of "
                        + Category.allCases.map(\.name).joined(separator: ", "))
            }
            let label = singleSpaced(String(fields[0]))
            if let other = entries.updateValue(category, forKey: label), other != category {
                throw ODTError(
                    .invalidFile,
                    "line \(number + 1) of \(name) calls \"\(label)\" \(category.name), an earlier line \(other.name)")
            }
        }
        return entries.merging(entries.map { ($0.key.lowercased(), $0.value) }) { listed, _ in listed }
    }

    private static let categoriesByName = Dictionary(uniqueKeysWithValues: Category.allCases.map { ($0.name, $0) })
}
