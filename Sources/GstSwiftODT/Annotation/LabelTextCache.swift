import SwiftODT

/// Keeps what labels say from frame to frame: a text is made anew when one of the values in it has changed.
///
/// The pattern and the room are the caller's to watch: where they change, all is forgotten.
struct LabelTextCache {
    private struct Entry {
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
    private static let maximum = 512

    private var entries: [Int: Entry] = [:]

    /// The text for an object; what has no id has none to keep it by.
    mutating func text(for object: AnnotatedObject, make: () -> String) -> String {
        guard let id = object.id else { return make() }
        if let entries = entries[id], entries.holds(for: object) { return entries.text }
        let text = make()
        if entries.count >= Self.maximum { entries.removeAll(keepingCapacity: true) }
        entries[id] = Entry(
            label: object.label, category: object.category, confidence: object.confidence, score: object.score,
            coasting: object.coasting, text: text)
        return text
    }

    var count: Int { entries.count }

    mutating func removeAll() { entries.removeAll(keepingCapacity: true) }
}
