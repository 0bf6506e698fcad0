/// Whether a missed object is likely to be still at its predicted position.
struct OcclusionState: Sendable {
    /// The picture shows that the object is not there. The track is not reported until it is detected again, and
    /// keeps its id if that is in time.
    fileprivate(set) var isAbsent = false
    /// The box may have been propagated to a wrong position. The track is not reported until it is detected again.
    var isUnreliable = false
    /// Whether the picture has already failed to show the object.
    private var isUndetected = false
    /// Whether the object was still half visible when that happened first: it went behind something.
    private(set) var isHiding = false
    /// The box of the latest detection above the score threshold, and its template, which is taken only when needed.
    private var confirmedBox: Box
    private var template: AppearanceTemplate?
    /// The half of the object that was already occluded in ``template``: detectors often lose an object only when
    /// half of it is hidden.
    private var occludedHalf: AppearanceTemplate.Half?

    init(at box: Box) { confirmedBox = box }

    /// Resets the state after a detection.
    mutating func confirm(at box: Box, isSure: Bool) {
        (isAbsent, isUnreliable, isUndetected, isHiding) = (false, false, false, false)
        if isSure { (confirmedBox, template, occludedHalf) = (box, nil, nil) }
    }

    /// Takes the template of the object from the picture of its latest detection above the threshold.
    ///
    /// - Parameter earlier: an earlier picture, and the object's box in it.
    mutating func remember(from plane: LumaPlane, earlier: (plane: LumaPlane, box: Box)?) {
        guard template == nil else { return }
        template = AppearanceTemplate(of: confirmedBox, in: plane)
        guard let template, let whole = earlier.flatMap({ AppearanceTemplate(of: $0.box, in: $0.plane) }) else {
            return
        }
        let halves = whole.correlation(template).halves
        occludedHalf = AppearanceTemplate.Half.allCases.first {
            halves[$0.rawValue] < Self.similarityOfHalf && halves[$0.opposite.rawValue] > Self.similarityOfHalf
        }
    }

    /// Checks whether the object can still be at its predicted box. Not called if a detected object covers the box.
    ///
    /// - Parameters:
    ///   - before: an earlier picture, to detect static content.
    ///   - unseen: the time since the latest detection.
    /// - Returns: the box of the latest detection above the threshold if the picture still looks the same there, else
    ///   `nil`.
    mutating func verify(at box: Box, in plane: LumaPlane, before: LumaPlane?, unseen: Nanoseconds) -> Box? {
        guard !isAbsent, !isHiding, let template else { return nil }
        guard let here = AppearanceTemplate(of: box, in: plane) else {
            // The object has left the picture, or nearly so.
            isAbsent = true
            return nil
        }
        let fit = Self.fit(template, near: box, in: plane)
        if fit.isWhole { return nil }
        let there = AppearanceTemplate(of: confirmedBox, in: plane)
        if let there, template.difference(there) < Self.noise { return confirmedBox }
        isHiding = !isUndetected && (fit.isHalf && unseen < Self.vanishing || there.map(isOccluder) ?? false)
        isUndetected = true
        if isHiding { return nil }
        let isStill =
            before.flatMap { AppearanceTemplate(of: box, in: $0) }.map { here.difference($0) < Self.noise } ?? false
        isAbsent = isStill || unseen > Self.verificationTime
        return nil
    }

    /// Returns whether the picture shows the object at `box`; `true` without a template. An object that went behind
    /// something is not visible.
    func isVisible(at box: Box, in plane: LumaPlane) -> Bool {
        !isHiding && (template.map { Self.fit($0, near: box, in: plane).isWhole } ?? true)
    }

    /// Returns whether the occluder of the hidden half is still there.
    private func isOccluder(_ there: AppearanceTemplate) -> Bool {
        guard let template, let occludedHalf else { return false }
        return template.difference(there, in: occludedHalf) < Self.noiseOfHalf
    }

    /// Searches for the template in the box and a little around it.
    private static func fit(_ template: AppearanceTemplate, near box: Box, in plane: LumaPlane) -> (
        isWhole: Bool, isHalf: Bool
    ) {
        var isHalf = false
        for down in -2...2 {
            for across in -2...2 {
                let place = box.offset(x: 0.1 * box.width * Double(across), y: 0.05 * box.height * Double(down))
                guard let seen = AppearanceTemplate(of: place, in: plane) else { continue }
                if template.difference(seen) < noise { return (true, true) }
                let correlation = template.correlation(seen)
                if correlation.whole > similarity { return (true, true) }
                isHalf = isHalf || correlation.halves.max() > similarityOfHalf
            }
        }
        return (false, isHalf)
    }

    /// The mean difference in grey levels up to which content counts as static.
    private static let noise = 6.0
    /// The same for an occluded half: more of it may have been occluded since.
    private static let noiseOfHalf = 15.0
    /// The minimum correlation of the same object. Halves need a higher one, because there are four of them, with
    /// fewer samples.
    private static let similarity = 0.6
    private static let similarityOfHalf = 0.75
    /// The time after its latest detection within which an object disappears behind an occluder.
    private static let vanishing: Nanoseconds = 150_000_000
    /// The time for which moving content at the predicted box may be an occluder.
    static let verificationTime: Nanoseconds = 600_000_000
}
