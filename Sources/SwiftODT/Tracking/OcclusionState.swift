/// Whether an object that is not seen is still to be believed in where it is expected.
struct OcclusionState: Sendable {
    /// Its place shows that it is not there. It is not shown until it is seen again, and keeps its id if that is soon.
    fileprivate(set) var isAbsent = false
    /// Its box may have been carried to a place where it is not. It is not reported until it is detected again.
    var isUnreliable = false
    /// The picture has been seen not to show it.
    private var isUndetected = false
    /// When that was first so, half of it could still be seen: it went behind something.
    private(set) var isHiding = false
    /// Where the detector was last sure of it, and what was to be seen there, which is looked at only when it is wanted.
    private var confirmedBox: Box
    private var template: AppearanceTemplate?
    /// The half of it that was hidden by then: the detector often loses what goes behind something no sooner than that.
    private var occludedHalf: AppearanceTemplate.Half?

    init(at box: Box) { confirmedBox = box }

    /// The detector has seen it again.
    mutating func confirm(at box: Box, isSure: Bool) {
        (isAbsent, isUnreliable, isUndetected, isHiding) = (false, false, false, false)
        if isSure { (confirmedBox, template, occludedHalf) = (box, nil, nil) }
    }

    /// Remembers what it looked like, from the picture in which the detector was last sure of it.
    ///
    /// - Parameter earlier: a picture from before, and where it was in that.
    mutating func remember(from plane: LumaPlane, earlier: (plane: LumaPlane, box: Box)?) {
        guard template == nil else { return }
        template = AppearanceTemplate(of: confirmedBox, in: plane)
        guard let template, let whole = earlier.flatMap({ AppearanceTemplate(of: $0.box, in: $0.plane) }) else { return }
        let halves = whole.correlation(template).halves
        occludedHalf = AppearanceTemplate.Half.allCases.first {
            halves[$0.rawValue] < Self.similarityOfHalf && halves[$0.opposite.rawValue] > Self.similarityOfHalf
        }
    }

    /// Looks whether it can still be where it is expected; not asked where something else is seen to stand before it.
    ///
    /// - Parameters:
    ///   - before: an earlier picture, to see what stands still.
    ///   - unseen: for how long it has been unseen.
    /// - Returns: where it is instead, if the place where the detector was last sure of it still looks the same.
    mutating func verify(at box: Box, in plane: LumaPlane, before: LumaPlane?, unseen: Nanoseconds) -> Box? {
        guard !isAbsent, !isHiding, let template else { return nil }
        guard let here = AppearanceTemplate(of: box, in: plane) else {
            // It has left the picture, or nearly.
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
        let isStill = before.flatMap { AppearanceTemplate(of: box, in: $0) }.map { here.difference($0) < Self.noise } ?? false
        isAbsent = isStill || unseen > Self.verificationTime
        return nil
    }

    /// Whether the picture shows it at `box`, as far as it is known what it looks like. What went behind something is not visible.
    func isVisible(at box: Box, in plane: LumaPlane) -> Bool {
        !isHiding && (template.map { Self.fit($0, near: box, in: plane).isWhole } ?? true)
    }

    /// Whether what hid half of it still stands there.
    private func isOccluder(_ there: AppearanceTemplate) -> Bool {
        guard let template, let occludedHalf else { return false }
        return template.difference(there, in: occludedHalf) < Self.noiseOfHalf
    }

    /// Looks for the portrait in the box and a little around it.
    private static func fit(_ template: AppearanceTemplate, near box: Box, in plane: LumaPlane) -> (isWhole: Bool, isHalf: Bool) {
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

    /// Grey levels by which what stands still may change.
    private static let noise = 6.0
    /// The same of a half that was hidden, of which a part may have come to be so since.
    private static let noiseOfHalf = 15.0
    /// Correlation from which a thing is taken for the same. Half of it has to be more alike: there are more halves, of fewer
    /// samples.
    private static let similarity = 0.6
    private static let similarityOfHalf = 0.75
    /// Within so long after it was seen it goes behind whatever hides it, if that is what happens.
    private static let vanishing: Nanoseconds = 150_000_000
    /// For so long something that moves may be in the way of what is looked for.
    static let verificationTime: Nanoseconds = 600_000_000
}
