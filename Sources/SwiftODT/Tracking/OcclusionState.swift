/// Describes whether a missed object is probably still at its predicted position.
struct OcclusionState: Sendable {
    /// Whether the picture shows that the object is not at its predicted position. The track is then not reported.
    private(set) var isAbsent = false
    /// Whether the box may have been propagated to a wrong position. While true, the track is not reported.
    var isUnreliable = false
    /// Whether a check of the picture has failed to find the object.
    private var isUndetected = false
    /// Whether the object went behind an occluder. The first check that does not find the object decides this.
    private(set) var isHiding = false
    /// The box of the latest detection above the score threshold.
    private var confirmedBox: Box
    /// The appearance template of the object in ``confirmedBox``. It is computed only when it is needed.
    private var template: AppearanceTemplate?
    /// The half of the object that was already occluded in ``template``: detectors often find half-occluded objects.
    private var occludedHalf: AppearanceTemplate.Half?

    init(at box: Box) { confirmedBox = box }

    /// Resets the state after a detection. `isSure` means that the score of the detection is above the threshold.
    mutating func confirm(at box: Box, isSure: Bool) {
        (isAbsent, isUnreliable, isUndetected, isHiding) = (false, false, false, false)
        if isSure { (confirmedBox, template, occludedHalf) = (box, nil, nil) }
    }

    /// Computes the template from the picture of the latest detection above the score threshold. `earlier` is an
    /// earlier picture and the object's box in the earlier picture.
    mutating func remember(from plane: LumaPlane, earlier: (plane: LumaPlane, box: Box)?) {
        guard template == nil else { return }
        template = AppearanceTemplate(of: confirmedBox, in: plane)
        guard let template, let whole = earlier.flatMap({ AppearanceTemplate(of: $0.box, in: $0.plane) }) else {
            return
        }
        let halves = whole.correlation(template).halves
        occludedHalf = AppearanceTemplate.Half.allCases.first {
            halves[$0.rawValue] < TrackerTuning.templateCorrelationOfHalf
                && halves[$0.opposite.rawValue] > TrackerTuning.templateCorrelationOfHalf
        }
    }

    /// Checks whether the object can still be at its predicted box. No detected object may cover this box. `before` is
    /// an earlier picture, which shows whether the content of the box is static. `unseen` is the time since the latest
    /// detection. If the picture shows the object at ``confirmedBox`` instead, returns that box.
    mutating func verify(at box: Box, in plane: LumaPlane, before: LumaPlane?, unseen: Nanoseconds) -> Box? {
        guard !isAbsent, !isHiding, let template else { return nil }
        guard let here = AppearanceTemplate(of: box, in: plane) else {
            // The object is almost or completely outside the picture.
            isAbsent = true
            return nil
        }
        let fit = Self.fit(template, near: box, in: plane)
        if fit.isWhole { return nil }
        let there = AppearanceTemplate(of: confirmedBox, in: plane)
        if let there, template.difference(there) < TrackerTuning.stillDifference { return confirmedBox }
        if !isUndetected {
            // The object is hiding if half of it is still visible shortly after the latest detection. It is also hiding
            // if one half was already occluded and the occluder is still there.
            isHiding = fit.isHalf && unseen < TrackerTuning.vanishingTime
            if let there, let occludedHalf {
                let difference = template.difference(there, in: occludedHalf)
                isHiding = isHiding || difference < TrackerTuning.stillDifferenceOfHalf
            }
        }
        isUndetected = true
        if isHiding { return nil }
        let earlier = before.flatMap { AppearanceTemplate(of: box, in: $0) }
        let isStill = earlier.map { here.difference($0) < TrackerTuning.stillDifference } ?? false
        isAbsent = isStill || unseen > TrackerTuning.occluderTime
        return nil
    }

    /// Returns whether the picture shows the object at `box`. Without a template the result is `true`.
    func isVisible(at box: Box, in plane: LumaPlane) -> Bool {
        !isHiding && (template.map { Self.fit($0, near: box, in: plane).isWhole } ?? true)
    }

    /// Searches for the template at offsets of up to 20% of the width and 10% of the height of the box. Returns whether
    /// the whole template matches somewhere, and whether at least one half does.
    private static func fit(_ template: AppearanceTemplate, near box: Box, in plane: LumaPlane) -> (
        isWhole: Bool, isHalf: Bool
    ) {
        var isHalf = false
        for down in -2...2 {
            for across in -2...2 {
                let place = box.offset(x: 0.1 * box.width * Double(across), y: 0.05 * box.height * Double(down))
                guard let seen = AppearanceTemplate(of: place, in: plane) else { continue }
                if template.difference(seen) < TrackerTuning.stillDifference { return (true, true) }
                let correlation = template.correlation(seen)
                if correlation.whole > TrackerTuning.templateCorrelation { return (true, true) }
                isHalf = isHalf || correlation.halves.max() > TrackerTuning.templateCorrelationOfHalf
            }
        }
        return (false, isHalf)
    }
}
