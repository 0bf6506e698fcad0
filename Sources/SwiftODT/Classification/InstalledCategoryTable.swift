extension CategoryTable {
    /// The file name of a user-defined category table in a model folder.
    static let userFile = "categories.tsv"

    /// Returns the standard table, overridden by `categories.tsv` from the model folders. Earlier folders take
    /// precedence.
    ///
    /// - Throws: ``ODTError`` that names an invalid line.
    public static func installed(folders: [String] = ModelSearchPath.folders) throws -> CategoryTable {
        try folders.reversed().map { $0 + "/" + userFile }.filter { FileBytes.size($0) != nil }.reduce(standard) {
            let text = String(decoding: try FileBytes.read($1, limit: 4 << 20), as: UTF8.self)
            return $0.overridden(by: try CategoryTable(text: text, name: $1))
        }
    }
}
