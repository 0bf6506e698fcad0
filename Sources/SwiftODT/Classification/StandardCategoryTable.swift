import CVocabularies

extension CategoryTable {
    /// The labels of COCO, Open Images, other common models and ImageNet-1k, from the files in `CShims/CVocabularies`.
    /// If vocabularies differ on a single label, the first one in this order is used.
    ///
    /// Initialised at first use.
    public static let standard = vocabularies.reduce(CategoryTable()) { table, text in
        // The embedded files are valid: the tests parse each of them.
        guard let vocabulary = try? CategoryTable(text: String(decoding: text, as: UTF8.self)) else { return table }
        return vocabulary.overridden(by: table)
    }

    /// The content of each vocabulary file.
    static var vocabularies: [UnsafeBufferPointer<UInt8>] {
        [
            swiftodt_vocabulary_coco(), swiftodt_vocabulary_open_images(), swiftodt_vocabulary_more(),
            swiftodt_vocabulary_imagenet(),
        ].map { UnsafeBufferPointer(start: $0.text, count: $0.size) }
    }
}
