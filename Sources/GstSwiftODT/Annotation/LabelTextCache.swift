import SwiftODT

/// Caches label texts from frame to frame. A text is formatted again when one of the object's values changes.
///
/// The caller must clear the cache when the pattern changes.
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

    /// If there are more entries, most belong to tracks that have ended.
    private static let maximum = 512

    private var entries: [Int: Entry] = [:]

    /// Returns the text for an object. Objects without an ID are not cached.
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
