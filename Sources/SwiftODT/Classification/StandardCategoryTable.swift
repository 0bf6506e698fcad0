extension CategoryTable {
    /// The labels of COCO, Open Images, other common models and ImageNet-1k, from the files in `Vocabularies`. Where two of
    /// them read a word differently, a label on its own is read as in the first.
    ///
    /// Made once, at first use.
    public static let standard = vocabularies.reduce(CategoryTable()) { table, text in
        // The files are part of the program; the tests read each of them.
        guard let vocabulary = try? CategoryTable(text: String(decoding: text, as: UTF8.self)) else { return table }
        return vocabulary.overridden(by: table)
    }

    static let vocabularies = [
        PackageResources.coco_tsv, PackageResources.open_images_tsv, PackageResources.more_tsv,
        PackageResources.imagenet_tsv,
    ]
}
