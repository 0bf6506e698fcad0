import SwiftODT

extension Settings {
    /// Checks the settings before the element starts. Combinations that have no effect are posted as warnings. If
    /// `min-area` is above `max-area`, an error is posted.
    ///
    /// - Returns: Whether the element can start.
    func warn(through element: ElementHandle) -> Bool {
        if let contradiction = Self.contradictionOfAreas(self) {
            element.fail(contradiction)
            return false
        }
        for check in Self.properties.map(Check.init) + Self.checks { check.problem(self).map { element.warn($0) } }
        return true
    }

    /// Returns the problems with the value of a property. Omits problems that the previous settings had, too.
    func problems(of property: Property, since previous: Settings) -> [ElementProblem] {
        let checks = [Check(property)] + Self.checks.filter { $0.properties.contains(property.subject) }
        return checks.compactMap { check in
            check.problem(self).flatMap { $0.text == check.problem(previous)?.text ? nil : $0 }
        }
    }

    /// A check of the settings, with the names of the properties on which its result depends. When a property changes,
    /// only the checks that depend on it are made, because some checks read files.
    struct Check: Sendable {
        let properties: [String]
        let problem: @Sendable (Settings) -> ElementProblem?

        init(_ property: Property) {
            (properties, problem) = ([property.name], { property.fault($0).map { .settings($0) } })
        }

        init(_ properties: String..., problem: @escaping @Sendable (Settings) -> ElementProblem?) {
            (self.properties, self.problem) = (properties, problem)
        }

        init(
            _ properties: String..., where isWrong: @escaping @Sendable (Settings) -> Bool, text: String
        ) {
            (self.properties, problem) = (properties, { isWrong($0) ? .settings(text) : nil })
        }
    }

    static let checks: [Check] = [
        Check("min-area", "max-area", problem: contradictionOfAreas),
        Check("label-allowlist", "label-denylist", problem: contradictionOfLists),
        Check("label-allowlist", "label-denylist", "unknown-objects", problem: unknownLabels),
        Check("label-format", problem: unknownPlaceholders),
        Check("font", problem: missingFont),
        Check(
            "detector", "model-file", "label-file",
            where: {
                ($0.detector == .motion || $0.detector == .upstream) && ($0.modelFile != nil || $0.labelFile != nil)
            },
            text: "model-file and label-file have no effect with this detector; to use them, set detector=neural or "
                + "salient"),
        Check(
            "detector", "model-file", where: { $0.detector == .recorded && $0.modelFile != nil },
            text: "model-file has no effect with detector=recorded, which runs no inference"),
        Check(
            "detector", "detections-file", where: { $0.detector != .recorded && $0.detectionsFile != nil },
            text: "detections-file has no effect unless detector=recorded"),
        Check(
            "record-detections", "record-existing",
            where: { $0.recordExisting != .refuse && $0.recordDetections == nil },
            text: "record-existing has no effect without record-detections; set record-detections to the file name"),
        Check(
            "mode", "strategy",
            where: { $0.scene.mode == .singleImage && $0.strategy == .keepOnlyLatest },
            text: "strategy=keep-only-latest has no effect with mode=single-image, which waits for every result"),
        Check(
            "zoom", "strategy", "detector",
            where: { $0.zoom == .grid && $0.strategy == .keepOnlyLatest && $0.detector.acceptsRegions },
            text: "zoom=grid delays frames until inference on nearly all tiles is finished, even with "
                + "strategy=keep-only-latest; zoom=auto needs one inference per frame"),
        Check(
            "inference-interval", "mode",
            where: { $0.inferenceInterval > 1 && $0.scene.mode == .singleImage },
            text: "inference-interval has no effect with mode=single-image, in which inference runs on every picture"),
        Check(
            "inference-interval", "mode", "tracking",
            where: { $0.inferenceInterval == 0 && !$0.scene.follows },
            text: "inference-interval=0 has no effect: inference runs on every frame, because adaptive inference needs "
                + "tracks; set tracking=true and mode=stream"),
        Check(
            "inference-interval", "detector",
            where: { $0.inferenceInterval == 0 && [.motion, .upstream, .tensors].contains($0.detector) },
            text: "inference-interval=0 has no effect with this detector, which runs on every frame at little cost"),
        Check(
            "mode", "detector",
            where: { $0.scene.mode == .singleImage && $0.detector == .motion },
            text: "detector=motion cannot detect anything in a single image; use detector=neural or salient with "
                + "mode=single-image"),
        Check(
            "zoom", "detector", where: { $0.zoom != .off && !$0.detector.acceptsRegions },
            text: "zoom has no effect with this detector, which always uses the full frame; use detector=neural"),
        Check(
            "zoom", "tracking", "mode", where: { $0.zoom == .auto && !$0.scene.follows },
            text:
                "zoom=auto has no effect: it selects regions from tracks; set tracking=true and mode=stream, or use "
                + "zoom=grid"),
        Check(
            "reidentify", "mode", "tracking", where: { $0.scene.reidentify && !$0.scene.follows },
            text: "reidentify has no effect without tracking; set tracking=true and mode=stream"),
        Check(
            "reidentify", "detector",
            where: { $0.scene.reidentify && [.motion, .salient].contains($0.detector) },
            text: "reidentify has no effect with this detector, whose objects have no labels; use detector=neural"),
        Check(
            "reidentify", "reidentification-file",
            where: { $0.reidentificationFile != nil && !$0.scene.reidentify },
            text: "reidentification-file has no effect without reidentify=true"),
        Check(
            "unknown-objects", "mode", "tracking", where: { $0.scene.unknownObjects == .moving && !$0.scene.follows },
            text:
                "unknown-objects=moving has no effect without tracking; set tracking=true and mode=stream"),
        Check(
            "unknown-objects", "detector", where: { $0.scene.unknownObjects == .moving && $0.detector == .motion },
            text:
                "unknown-objects=moving has no effect with detector=motion, which detects all moving objects already"),
        Check(
            "unknown-objects", "mode", "tracking",
            problem: { settings in
                let scene = settings.scene
                guard [.salient, .auto].contains(scene.unknownObjects), scene.mode == .stream, !scene.follows else {
                    return nil
                }
                return .settings(
                    "unknown-objects=\(scene.unknownObjects) has no effect in mode=stream without tracking; set "
                        + "tracking=true")
            }),
        Check(
            "unknown-objects", "detector", "mode",
            where: {
                $0.scene.unknownObjects == .auto && $0.detector == .motion && $0.scene.follows
                    || ($0.scene.detectsSalient || $0.scene.detectsSalientInVideo) && $0.detector == .salient
            },
            text:
                "unknown-objects has no effect with this detector, which detects these objects already and assigns no "
                + "labels; use detector=neural"),
        Check(
            "unknown-objects", "label-allowlist", "label-denylist",
            where: { $0.scene.unknownObjects != .none && !$0.scene.filter.wantsUnknown },
            text: "unknown-objects has no effect: label-allowlist or label-denylist excludes unlabelled objects; add "
                + "\(DetectionFilter.unknown) to label-allowlist, or remove it from label-denylist"),
        Check(
            "draw", "draw-mode", where: { !$0.draw && $0.drawMode != .blend },
            text: "draw-mode has no effect with draw=false; set draw=true"),
        Check(
            "map-memory", "detector", "classify", "reidentify", "unknown-objects", "box-style", "privacy-labels",
            where: { $0.mapMemory && $0.settingThatNeedsPixels != nil },
            text:
                "map-memory=true has no effect, because other properties require frames in system memory; use it with "
                + "detector=upstream, tensors or recorded"),
        Check(
            "draw", "draw-inference-regions", where: { !$0.draw && $0.annotator.drawInferenceRegions },
            text: "draw-inference-regions=true has no effect with draw=false; set draw=true"),
        Check(
            "draw", "draw-traces", where: { !$0.draw && $0.annotator.drawTraces },
            text: "draw-traces=true has no effect with draw=false; set draw=true"),
        Check(
            "draw", "draw-boxes", "draw-labels", "draw-traces", "draw-zones", "draw-inference-regions", "zones",
            "box-style",
            where: {
                $0.draw && !$0.redacts && !$0.annotator.drawBoxes && !$0.annotator.drawLabels
                    && !$0.annotator.drawTraces
                    && !$0.annotator.drawInferenceRegions && !($0.annotator.drawZones && $0.zones != nil)
            },
            text: "draw=true has no effect with draw-boxes=false and draw-labels=false; set one of them to true"),
        Check(
            "draw-traces", "tracking", "mode",
            where: { $0.draw && $0.annotator.drawTraces && !$0.scene.follows },
            text: "draw-traces=true has no effect without tracking; set tracking=true and mode=stream"),
        Check(
            "zones", "tracking", "mode", where: { $0.zones != nil && !$0.scene.follows },
            text: "zones only count the objects inside them; to detect entering, leaving and crossing, set "
                + "tracking=true and mode=stream"),
        Check(
            "box-color", "color-mode",
            where: { $0.annotator.boxColor != AnnotatorOptions().boxColor && $0.annotator.colorMode != .fixed },
            text: "box-color has no effect unless color-mode=fixed, except on objects without id and label"),
        Check(
            "max-objects", "multiple-objects",
            // The value 100 causes no warning, because odt and the Python package always set it, even with
            // multiple-objects=false.
            where: {
                $0.scene.maxObjects != SceneOptions().maxObjects && $0.scene.maxObjects != 100
                    && !$0.scene.multipleObjects
            },
            text: "max-objects has no effect unless multiple-objects=true: only the most prominent object is reported"),
        Check(
            "classifier-file", "classifier-label-file", "classify",
            where: { ($0.classifierFile != nil || $0.classifierLabelFile != nil) && !$0.scene.classify },
            text: "classifier-file and classifier-label-file have no effect unless classify=true"),
        Check(
            "attach-meta", where: { $0.attachMeta.contains(.analytics) && AnalyticsLibrary.shared == nil },
            text:
                "attach-meta=analytics has no effect: it needs the analytics library of GStreamer 1.24; use roi or custom"
        ),
    ]

    static func waitsForReady(_ property: Property) -> ElementProblem {
        .settings(
            "\(property.name) takes effect from READY: the running element keeps the previous value until its state "
                + "has been READY or NULL")
    }

    private static func contradictionOfAreas(_ settings: Settings) -> ElementProblem? {
        let filter = settings.scene.filter
        guard filter.minArea > filter.maxArea else { return nil }
        return .settings(
            "min-area=\(filter.minArea) is above max-area=\(filter.maxArea), which excludes all objects; swap them"
        )
    }

    private static func contradictionOfLists(_ settings: Settings) -> ElementProblem? {
        let filter = settings.scene.filter
        let both = filter.allowlist.intersection(filter.denylist).sorted()
        guard !both.isEmpty else { return nil }
        return .settings(
            "\(both.joined(separator: ", ")) is in both label-allowlist and label-denylist and is excluded; remove it "
                + "from one of them")
    }

    private static func unknownPlaceholders(_ settings: Settings) -> ElementProblem? {
        let unknown = LabelFormat.unknownWords(in: settings.annotator.labelFormat)
        guard !unknown.isEmpty else { return nil }
        let known = LabelFormat.Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        return .settings(
            "label-format has no placeholder \(unknown.map { "{\($0)}" }.joined(separator: ", ")) and draws it as "
                + "text; the placeholders are \(known)")
    }

    private static func missingFont(_ settings: Settings) -> ElementProblem? {
        let drawsZones = settings.annotator.drawZones && settings.zones != nil
        guard settings.draw, settings.annotator.drawLabels || drawsZones else { return nil }
        let font = NamedFont(settings.annotator.font)
        switch font.find() {
        case .found: return nil
        case .replaced(let other):
            return .settings(
                "font '\(font.family)' is not installed, \(other) replaces it; 'fc-list : family' lists the installed "
                    + "fonts")
        case .nothing:
            return .settings(
                "font '\(font.family)' cannot be replaced, because no font is installed: labels have no text; install "
                    + "one, for example Debian's fonts-dejavu-core, or set draw-labels=false and draw-zones=false")
        }
    }

    /// Returns a warning if a list of labels or a zone names a label that the detector never returns. Most of these
    /// labels are misspelt.
    private static func unknownLabels(_ settings: Settings) -> ElementProblem? {
        var listed = [settings.labelAllowlist, settings.labelDenylist]
            .reduce(into: Set<String>()) { $0.formUnion(DetectionFilter.labels(in: $1 ?? "")) }
        let zones = settings.zones.flatMap { try? Zone.list(named: $0) } ?? []
        for zone in zones { listed.formUnion(zone.labels.map { $0.lowercased() }) }
        if settings.scene.unknownObjects != .none { listed.remove(DetectionFilter.unknown) }
        guard !listed.isEmpty else { return nil }
        switch settings.detector {
        case .upstream, .tensors, .recorded: return nil
        case .motion, .salient:
            let hasLists = settings.labelAllowlist != nil || settings.labelDenylist != nil
            return .settings(
                (hasLists
                    ? "label-allowlist and label-denylist have no effect" : "zones with labels do not see any object")
                    + ": this detector assigns no labels; use detector=neural")
        case .auto, .neural:
            var configuration = DetectorConfiguration(.neural)
            configuration.modelFile = settings.modelFile
            configuration.labelFile = settings.labelFile
            guard let labels = configuration.knownLabels else { return nil }
            let known = Set(labels.map { $0.lowercased() })
            let groups = LabelGroups.withStandard(configuration.labelGroups)
            for group in listed.filter({ $0.first == LabelGroups.mark }).sorted() {
                guard let members = groups[String(group.dropFirst())] else {
                    return .settings(
                        "there is no label group \(group) (label-allowlist, label-denylist or zones); there are "
                            + groups.keys.sorted().map { "\(LabelGroups.mark)\($0)" }.joined(separator: ", "))
                }
                guard members.isDisjoint(with: known) else { continue }
                return .settings(
                    "the network has none of the labels of \(group) (label-allowlist, label-denylist or zones); name labels of "
                        + "the network: \(labels.prefix(8).joined(separator: ", "))")
            }
            let unknown = listed.filter { $0.first != LabelGroups.mark }.subtracting(known).sorted()
            guard !unknown.isEmpty else { return nil }
            let problem =
                "the network has no label \(unknown.joined(separator: ", ")) (label-allowlist, label-denylist or zones)"
            let suggestions = unknown.compactMap { nearestName(to: $0, in: labels) }
            let question = "; did you mean \(suggestions.joined(separator: ", "))?"
            guard suggestions.count < unknown.count else { return .settings(problem + question) }
            return .settings(
                problem + (suggestions.isEmpty ? "; it" : "\(question) It")
                    + " has \(labels.prefix(8).joined(separator: ", "))"
                    + (labels.count > 8 ? " and \(labels.count - 8) more" : "")
                    + (unknown.contains { $0.contains(";") } ? "; commas separate labels" : ""))
        }
    }
}
