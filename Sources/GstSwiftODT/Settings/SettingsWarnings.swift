import CGStreamer
import CSwiftODTElement
import SwiftODT

extension Settings {
    /// Tells of combinations that cannot be meant, before the element starts.
    ///
    /// - Returns: whether the element can start all the same.
    func warn(through element: ElementHandle) -> Bool {
        if let contradiction = Self.contradictionOfAreas(self) {
            element.fail(contradiction)
            return false
        }
        for check in Self.checks { check.problem(self).map { element.warn($0) } }
        return true
    }

    /// What a change of one property made wrong that was not wrong before in the same way.
    func problems(of property: UInt32, since former: Settings) -> [ElementProblem] {
        let property = SwiftOdtProperty(rawValue: property)
        return Self.checks.lazy.filter { $0.properties.contains(property) }.compactMap { check in
            check.problem(self).flatMap { $0.text == check.problem(former)?.text ? nil : $0 }
        }
    }

    /// A thing that may be wrong, and the properties that it hangs on, so that a change asks for no more than it touches:
    /// some read files.
    private struct Check: Sendable {
        let properties: [SwiftOdtProperty]
        let problem: @Sendable (Settings) -> ElementProblem?

        init(_ properties: SwiftOdtProperty..., problem: @escaping @Sendable (Settings) -> ElementProblem?) {
            (self.properties, self.problem) = (properties, problem)
        }

        /// A warning for a state that has no better word than a sentence.
        init(
            _ properties: SwiftOdtProperty..., where isWrong: @escaping @Sendable (Settings) -> Bool, text: String
        ) {
            (self.properties, problem) = (properties, { isWrong($0) ? .settings(text) : nil })
        }
    }

    private static let checks: [Check] = [
        Check(SWIFTODT_PROP_MIN_AREA, SWIFTODT_PROP_MAX_AREA, problem: contradictionOfAreas),
        Check(SWIFTODT_PROP_LABEL_ALLOWLIST, SWIFTODT_PROP_LABEL_DENYLIST, problem: contradictionOfLists),
        Check(SWIFTODT_PROP_LABEL_ALLOWLIST, SWIFTODT_PROP_LABEL_DENYLIST, problem: unknownLabels),
        Check(SWIFTODT_PROP_LABEL_FORMAT, problem: unknownPlaceholders),
        Check(SWIFTODT_PROP_FONT, problem: missingFont),
        Check(SWIFTODT_PROP_TRACK_MAX_AGE) { shortTime("track-max-age", $0.scene.tracker.maxAge) },
        Check(SWIFTODT_PROP_TRACE_DURATION) { shortTime("trace-duration", $0.annotator.traceDuration) },
        Check(SWIFTODT_PROP_MESSAGE_INTERVAL) { shortTime("message-interval", $0.messageInterval) },
        Check(
            SWIFTODT_PROP_DETECTOR, SWIFTODT_PROP_MODEL_FILE, SWIFTODT_PROP_LABEL_FILE,
            where: {
                ($0.detector == .motion || $0.detector == .upstream) && ($0.modelFile != nil || $0.labelFile != nil)
            },
            text: "model-file and label-file mean nothing with this detector; set detector=neural or salient to use "
                + "them"),
        Check(
            SWIFTODT_PROP_MODE, SWIFTODT_PROP_STRATEGY,
            where: { $0.scene.mode == .singleImage && $0.strategy == .keepOnlyLatest },
            text: "mode=single-image waits for every picture, so strategy=keep-only-latest has no effect"),
        Check(
            SWIFTODT_PROP_MODE, SWIFTODT_PROP_DETECTOR,
            where: { $0.scene.mode == .singleImage && $0.detector == .motion },
            text: "detector=motion finds nothing in a single picture; use detector=neural or salient with "
                + "mode=single-image"),
        Check(
            SWIFTODT_PROP_DRAW, SWIFTODT_PROP_DRAW_TRACES, where: { !$0.draw && $0.annotator.drawTraces },
            text: "draw-traces=true has no effect with draw=false, which draws nothing"),
        Check(
            SWIFTODT_PROP_DRAW_TRACES, SWIFTODT_PROP_TRACKING, SWIFTODT_PROP_MODE,
            where: { $0.draw && $0.annotator.drawTraces && !$0.scene.follows },
            text: "draw-traces=true has no effect: only objects that are followed leave traces, with tracking=true and "
                + "mode=stream"),
        Check(
            SWIFTODT_PROP_BOX_COLOR, SWIFTODT_PROP_COLOR_MODE,
            where: { $0.annotator.boxColor != AnnotatorOptions().boxColor && $0.annotator.colorMode != .fixed },
            text: "box-color has no effect unless color-mode=fixed"),
        Check(
            SWIFTODT_PROP_MAX_OBJECTS, SWIFTODT_PROP_MULTIPLE_OBJECTS,
            where: { $0.scene.maxObjects != SceneOptions().maxObjects && !$0.scene.multipleObjects },
            text: "max-objects has no effect unless multiple-objects=true: the most prominent object alone is reported"),
        Check(
            SWIFTODT_PROP_CLASSIFIER_FILE, SWIFTODT_PROP_CLASSIFIER_LABEL_FILE, SWIFTODT_PROP_CLASSIFY,
            where: { ($0.classifierFile != nil || $0.classifierLabelFile != nil) && !$0.scene.classify },
            text: "classifier-file and classifier-label-file have no effect unless classify=true"),
        Check(
            SWIFTODT_PROP_ATTACH_META, where: { $0.attachMeta.contains(.analytics) && AnalyticsLibrary.shared == nil },
            text:
                "attach-meta=analytics has no effect: this GStreamer has no analytics library, which comes with 1.24; "
                + "use roi or custom"),
    ]

    private static func contradictionOfAreas(_ settings: Settings) -> ElementProblem? {
        let filter = settings.scene.filter
        guard filter.minArea > filter.maxArea else { return nil }
        return .settings(
            "min-area (\(filter.minArea)) is above max-area (\(filter.maxArea)), so no object can be reported; swap them"
        )
    }

    private static func contradictionOfLists(_ settings: Settings) -> ElementProblem? {
        let filter = settings.scene.filter
        let both = filter.allowlist.intersection(filter.denylist).sorted()
        guard !both.isEmpty else { return nil }
        return .settings(
            "\(both.joined(separator: ", ")) stand in label-allowlist and in label-denylist; the denylist wins")
    }

    private static func unknownPlaceholders(_ settings: Settings) -> ElementProblem? {
        let unknown = LabelFormat.unknownWords(in: settings.annotator.labelFormat)
        guard !unknown.isEmpty else { return nil }
        let known = LabelFormat.Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        return .settings(
            "label-format knows nothing called \(unknown.map { "{\($0)}" }.joined(separator: ", ")), which is plain text then; "
                + "it knows \(known)")
    }

    private static func missingFont(_ settings: Settings) -> ElementProblem? {
        guard settings.draw, settings.annotator.drawLabels else { return nil }
        switch FontLookup.find(FontDescription(settings.annotator.font).family) {
        case .found: return nil
        case .replaced(let other):
            return .settings(
                "font: there is no font \(FontDescription(settings.annotator.font).family) on this machine, \(other) stands in "
                    + "for it; fc-list : family tells which there are")
        case .nothing:
            return .settings(
                "font: there is no font on this machine at all, so labels have no text; install one, such as Debian's "
                    + "fonts-dejavu-core, or set draw-labels=false")
        }
    }

    /// A time so short that its unit was mistaken.
    private static func shortTime(_ name: String, _ time: Nanoseconds) -> ElementProblem? {
        guard time > 0, time < 1_000_000 else { return nil }
        let (unit, factor) = time < 1000 ? ("seconds", 1_000_000_000) : ("milliseconds", 1_000_000)
        return .settings(
            "\(name)=\(time) is less than a thousandth of a second: times are in nanoseconds, \(time) \(unit) are "
                + "\(time * Nanoseconds(factor))")
    }

    /// Labels in the lists that no object is going to have: most are misspelt.
    private static func unknownLabels(_ settings: Settings) -> ElementProblem? {
        let listed = settings.scene.filter.allowlist.union(settings.scene.filter.denylist)
        guard !listed.isEmpty else { return nil }
        switch settings.detector {
        case .upstream: return nil
        case .motion, .salient:
            return .settings(
                "label-allowlist and label-denylist have no effect: this detector gives no labels; detector=neural does"
            )
        case .auto, .neural:
            var recipe = DetectorRecipe(.neural)
            recipe.modelFile = settings.modelFile
            recipe.labelFile = settings.labelFile
            guard let labels = recipe.knownLabels else { return nil }
            let unknown = listed.subtracting(labels.map { $0.lowercased() }).sorted()
            guard !unknown.isEmpty else { return nil }
            return .settings(
                "the network has no label \(unknown.joined(separator: ", ")), which label-allowlist or label-denylist names; "
                    + "it has \(labels.prefix(8).joined(separator: ", "))"
                    + (labels.count > 8 ? " and \(labels.count - 8) more" : ""),
                detail: "its labels: " + labels.joined(separator: ", "))
        }
    }
}
