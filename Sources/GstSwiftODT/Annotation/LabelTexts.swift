import SwiftODT

/// Keeps what labels say from frame to frame: a text is made anew when one of the values in it has changed.
///
/// The pattern and the room are the caller's to watch: where they change, all is forgotten.
struct LabelTexts {
    private struct Said {
        let label: String
        let category: Category
        let confidence: Double?
        let score: Double
        let coasting: Bool
        let text: String

        func holds(for object: AnnotatedObject) -> Bool {
            (score == object.score || score.isNaN && object.score.isNaN) && confidence == object.confidence
                && category == object.category && label == object.label && coasting == object.coasting
        }
    }

    /// Beyond so many most belong to objects that are gone.
    private static let most = 512

    private var said: [Int: Said] = [:]

    /// The text for an object; what has no id has none to keep it by.
    mutating func text(for object: AnnotatedObject, make: () -> String) -> String {
        guard let id = object.id else { return make() }
        if let said = said[id], said.holds(for: object) { return said.text }
        let text = make()
        if said.count >= Self.most { said.removeAll(keepingCapacity: true) }
        said[id] = Said(
            label: object.label, category: object.category, confidence: object.confidence, score: object.score,
            coasting: object.coasting, text: text)
        return text
    }

    var count: Int { said.count }

    mutating func removeAll() { said.removeAll(keepingCapacity: true) }
}
