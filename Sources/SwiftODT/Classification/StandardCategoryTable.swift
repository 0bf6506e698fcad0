extension CategoryTable {
    /// The labels of COCO, Open Images, ML Kit's sample classifier, other common models and ImageNet-1k, from the files
    /// beside this one. Read once, at first use, in about a millisecond.
    public static let standard: CategoryTable = {
        let vocabularies = [
            PackageResources.coco_tsv
        ]
        return vocabularies.reversed().reduce(CategoryTable()) { table, text in
            // The files are part of the program, and a test reads each of them.
            guard let vocabulary = try? CategoryTable(text: String(decoding: text, as: UTF8.self)) else { return table }
            return table.overridden(by: vocabulary)
        }
    }()
}
