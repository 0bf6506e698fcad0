extension CategoryTable {
    /// The file of a models folder in which users put labels of their own, or others' categories.
    static let userFile = "categories.tsv"

    /// The standard table, overridden by the `categories.tsv` of the model folders, of which the first has the first word.
    ///
    /// - Throws: ``ODTError`` that names the line, where such a file cannot be read.
    public static func installed(folders: [String] = ModelSearchPath.folders) throws -> CategoryTable {
        try folders.reversed().map { $0 + "/" + userFile }.filter { FileBytes.size($0) != nil }.reduce(standard) {
            let text = String(decoding: try FileBytes.read($1, limit: 4 << 20), as: UTF8.self)
            return $0.overridden(by: try CategoryTable(text: text, name: $1))
        }
    }
}
