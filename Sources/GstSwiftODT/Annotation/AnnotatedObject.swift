import SwiftODT

struct AnnotatedObject: Sendable {
    /// `nil` for an object that is not tracked.
    var id: Int?
    /// The box in buffer pixels. It may extend beyond the picture.
    var box: Box
    /// Empty if the detector assigns no label.
    var label = ""
    var category = Category.unknown
    /// The label of a custom classifier. If it is not `nil`, it is drawn instead of the category.
    var classifierLabel: String?
    /// The classifier's confidence, 0 to 1; `nil` if the object is not classified.
    var confidence: Double?
    /// The detection score, 0 to 1. If it is NaN, no score is drawn.
    var score = 1.0
    /// Whether the box is predicted, because the object was not detected in this frame. The box's lines are then
    /// fainter and, except in the style `corners`, dashed.
    var coasting = false
    /// Whether this is the most prominent of the drawn objects. If several objects are drawn, its box has thicker
    /// lines.
    var prominent = false
}

/// The region of a recent inference. It is drawn for a short time while it fades.
struct AnnotatedRegion: Hashable, Sendable {
    /// The region in buffer pixels.
    let box: Box
    /// The factor by which objects appeared larger to the network than in a full-frame inference; `nil` for a
    /// full-frame inference.
    let magnification: Double?
    /// The opacity of the drawn region: 1 for a new region, falling to almost 0.
    let strength: Float
}

/// The regions of the inferences of the last 0.4 s.
struct RecentInferenceRegions {
    private var regions: [(inferredRegion: InferredRegion, time: Nanoseconds)] = []

    private static let span: Nanoseconds = 400_000_000

    mutating func note(_ inferredRegion: InferredRegion, at time: Nanoseconds) {
        regions.append((inferredRegion, time))
        if regions.count > 64 { regions.removeFirst() }
    }

    /// Returns the regions to draw, the oldest first. Removes regions that are no longer drawn.
    mutating func drawn(at time: Nanoseconds) -> [AnnotatedRegion] {
        regions.removeAll { time - $0.time > Self.span || time < $0.time }
        return regions.map { region in
            // Regions overlap. Older regions fade quickly, so the latest region can be distinguished.
            let left = 1 - 0.8 * Float(time - region.time) / Float(Self.span)
            return AnnotatedRegion(
                box: region.inferredRegion.box,
                magnification: region.inferredRegion.isWhole ? nil : region.inferredRegion.magnification,
                strength: left * left)
        }
    }
}

struct AnnotatedZone: Hashable, Sendable {
    let zone: Zone
    let name: String
    let text: String
    private let count: String

    init(_ zone: Zone, count: ZoneCount?) {
        self.zone = zone
        name = LabelText.legible(zone.name, maximum: 60)
        self.count =
            count.map { zone.kind == .line ? "  in \($0.all.in)  out \($0.all.out)" : "  \($0.all.count)" } ?? ""
        text = LabelText.isolated(name) + self.count
    }

    /// Returns the text with another name in place of the zone's own, for example a shortened one.
    func text(named name: String) -> String { LabelText.isolated(name) + count }
}

/// Decides for how long a coasting object is drawn. With ``AnnotatorOptions/Coasting/briefly`` this is 0.3 s, because
/// the error of a predicted box grows with every frame without a detection. An object that is drawn for longer has no
/// confidence and no score after this time. They remain until then, because a single missed detection would otherwise
/// change the width of the label twice.
struct CoastingDisplayPolicy {
    private static let moment: Nanoseconds = 300_000_000

    /// The time at which each coasting object started coasting, by tracking ID.
    private var begun: [Int: Nanoseconds] = [:]

    /// Removes the coasting objects that are no longer drawn, and the outdated values of the others. Objects without an
    /// ID cannot be matched from frame to frame, so they are kept until the next result.
    mutating func filter(
        _ objects: inout [AnnotatedObject], as drawing: AnnotatorOptions.Coasting, at time: Nanoseconds
    ) {
        var next: [Int: Nanoseconds] = [:]
        objects = objects.compactMap { object in
            guard object.coasting, let id = object.id else { return object }
            let start = min(begun[id] ?? time, time)
            next[id] = start
            let isBrief = time - start < Self.moment
            guard drawing == .always || drawing == .briefly && isBrief else { return nil }
            guard !isBrief else { return object }
            var object = object
            (object.score, object.confidence) = (.nan, nil)
            return object
        }
        begun = next
    }
}

/// Limits how often the confidence and the score in labels change, because values that change with every frame are
/// unreadable. A value is shown for at least 0.5 s. After that it changes if the new value differs by at least 5
/// percentage points, or in any case after 1 s. If the classifier's label changes, the values change at once.
///
/// If an object is coasting or was matched with a detection below the score threshold, its label keeps the latest score
/// above the threshold. A score below the configured threshold would look like an error.
struct LabelValueSmoother {
    private static let smallestStep = 0.05
    private static let maximumHoldTime: Nanoseconds = 1_000_000_000
    /// The minimum time for which a value is shown, even if the new value differs much. Scores can fluctuate by 20
    /// percentage points from frame to frame.
    private static let minimumHoldTime: Nanoseconds = 500_000_000

    private struct Shown {
        var score: Double
        var confidence: Double?
        var classifierLabel: String?
        var time: Nanoseconds
    }

    private var shown: [Int: Shown] = [:]

    /// Replaces the values of objects that have an ID by the values to show. The stored values of IDs that are not
    /// among `objects` are removed.
    ///
    /// - Parameter threshold: The score threshold. Lower scores are not shown.
    mutating func smooth(_ objects: inout [AnnotatedObject], threshold: Double = 0, at time: Nanoseconds) {
        var next: [Int: Shown] = [:]
        next.reserveCapacity(objects.count)
        for index in objects.indices {
            guard let id = objects[index].id else { continue }
            let isPlain = !objects[index].coasting && objects[index].score >= threshold
            let score = isPlain ? objects[index].score : shown[id]?.score ?? .nan
            let fresh = Shown(
                score: score, confidence: objects[index].confidence, classifierLabel: objects[index].classifierLabel,
                time: time)
            let values = shown[id].flatMap { Self.holds($0, against: fresh) ? $0 : nil } ?? fresh
            next[id] = values
            objects[index].score = values.score
            objects[index].confidence = values.confidence
        }
        shown = next
    }

    private static func holds(_ old: Shown, against fresh: Shown) -> Bool {
        guard (old.confidence == nil) == (fresh.confidence == nil), old.score.isNaN == fresh.score.isNaN,
            old.classifierLabel == fresh.classifierLabel
        else { return false }
        let change = max(
            abs(fresh.score - old.score), abs((fresh.confidence ?? 0) - (old.confidence ?? 0)))
        let heldFor = fresh.time - old.time
        // An unchanged value keeps its start time, so that a later change is shown without another delay.
        return change == 0 || heldFor < minimumHoldTime || (heldFor < maximumHoldTime && change < smallestStep)
    }
}
