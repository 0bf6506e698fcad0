/// The labels of a network's classes, lined up with its outputs: index 0 is the first class that is a thing.
struct ClassNames: Sendable {
    private let labels: Labels

    /// - Parameters:
    ///   - count: how many classes the network tells apart, without a background class; `nil` where that cannot be seen.
    /// - Throws: ``ODTError`` where there are no labels, or not as many as the network has classes.
    init(_ labels: Labels?, count: Int?, file: String) throws {
        guard let labels = labels ?? count.flatMap(Self.usual) else {
            throw ODTError(
                .unsupported,
                "\(file) tells \(count.map(String.init) ?? "an unknown number of") classes apart but brings no names for them: "
                    + "put a text file with one name a line beside it (\(ModelManifest.path(besideModel: file).dropLast(5)).txt), "
                    + "name one with label-file, or say \"labels\": \"coco80\" (or whatever they are) in its manifest")
        }
        guard let count else {
            self.labels = labels.beginsWithBackground ? labels.withoutFirst : labels
            return
        }
        // What a file declares may be the greatest number there is: nothing is added to it.
        switch labels.count {
        case count: self.labels = labels
        case 1... where labels.count - 1 == count && labels.beginsWithBackground: self.labels = labels.withoutFirst
        default:
            throw ODTError(
                .unsupported,
                "\(file) has \(count) class\(count == 1 ? "" : "es"), but \(CountText.text(labels.count, "label")) were given: are they of another model?"
            )
        }
    }

    /// The vocabulary that nearly all networks with so many classes have.
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
    /// Whether the first index stands for "nothing here", or for nothing at all.
    var beginsWithBackground: Bool {
        guard let first = self[0]?.text else { return count > 0 }
        return ["background", "__background__", "???", "n/a", "none", "bg", "unlabeled", "unlabelled"].contains(
            first.lowercased())
    }

    var withoutFirst: Labels { Labels((1..<max(count, 1)).map { self[$0]?.text ?? "" }) }
}
