/// The labels of a network's classes. Index 0 is the first class that is not the background.
struct ClassNames: Sendable {
    private let labels: Labels

    /// - Parameters:
    ///   - count: the number of classes without a background class; `nil` if the network's description does not
    ///     determine it.
    /// - Throws: ``ODTError`` if there are no labels, or if their number does not match the number of classes.
    init(_ labels: Labels?, count: Int?, file: String) throws {
        guard let labels = labels ?? count.flatMap(Self.usual) else {
            throw ODTError(
                .unsupported,
                "\(file) has \(count.map(String.init) ?? "an unknown number of") classes but no labels: "
                    + "put a text file with one label per line beside it (\(ModelManifest.path(besideModel: file).dropLast(5)).txt), "
                    + "set label-file, or set \"labels\" in its manifest to a known vocabulary, for example \"coco80\"")
        }
        guard let count else {
            self.labels = labels.beginsWithBackground ? labels.withoutFirst : labels
            return
        }
        // A file may declare up to `Int.max` classes, so adding to `count` could overflow.
        switch labels.count {
        case count: self.labels = labels
        case 1... where labels.count - 1 == count && labels.beginsWithBackground: self.labels = labels.withoutFirst
        default:
            throw ODTError(
                .unsupported,
                "\(file) has \(count) class\(count == 1 ? "" : "es"), but \(CountText.text(labels.count, "label")) were given; use the labels of this model"
            )
        }
    }

    /// Returns the vocabulary that most networks with this number of classes use.
    private static func usual(_ count: Int) -> Labels? {
        switch count {
        case 80: Labels.vocabulary("coco80")
        case 90: Labels.vocabulary("coco90")
        default: nil
        }
    }

    subscript(index: Int) -> Label? { labels[index] }

    var all: [String] { labels.all.map(\.text) }
}

extension Labels {
    /// Whether the first label is a background or placeholder label, or missing.
    var beginsWithBackground: Bool {
        guard let first = self[0]?.text else { return count > 0 }
        return ["background", "__background__", "???", "n/a", "none", "bg", "unlabeled", "unlabelled"].contains(
            first.lowercased())
    }

    var withoutFirst: Labels { Labels((1..<max(count, 1)).map { self[$0]?.text ?? "" }) }
}
