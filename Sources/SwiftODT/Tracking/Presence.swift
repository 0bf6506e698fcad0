/// Whether an object that is not seen is still to be believed in where it is expected.
struct Presence: Sendable {
    /// Its place shows that it is not there. It is not shown until it is seen again, and keeps its id if that is soon.
    fileprivate(set) var isAbsent = false
    /// Its box may have been carried to a place where it is not. It is not reported until it is detected again.
    var isUnreliable = false
    /// The picture has been seen not to show it.
    private var isMissing = false
    /// When that was first so, half of it could still be seen: it went behind something.
    private(set) var isHiding = false
    /// Where the detector was last sure of it, and what was to be seen there, which is looked at only when it is wanted.
    private var sureBox: Box
    private var portrait: Portrait?
    /// The half of it that was hidden by then: the detector often loses what goes behind something no sooner than that.
    private var hiddenHalf: Portrait.Half?

    init(at box: Box) { sureBox = box }

    /// The detector has seen it again.
    mutating func confirm(at box: Box, isSure: Bool) {
        (isAbsent, isUnreliable, isMissing, isHiding) = (false, false, false, false)
        if isSure { (sureBox, portrait, hiddenHalf) = (box, nil, nil) }
    }

    /// Remembers what it looked like, from the picture in which the detector was last sure of it.
    ///
    /// - Parameter earlier: a picture from before, and where it was in that.
    mutating func remember(from plane: LumaPlane, earlier: (plane: LumaPlane, box: Box)?) {
        guard portrait == nil else { return }
        portrait = Portrait(of: sureBox, in: plane)
        guard let portrait, let whole = earlier.flatMap({ Portrait(of: $0.box, in: $0.plane) }) else { return }
        let halves = whole.correlation(portrait).halves
        hiddenHalf = Portrait.Half.allCases.first {
            halves[$0.rawValue] < Self.likenessOfHalf && halves[$0.opposite.rawValue] > Self.likenessOfHalf
        }
    }

    /// Looks whether it can still be where it is expected; not asked where something else is seen to stand before it.
    ///
    /// - Parameters:
    ///   - before: an earlier picture, to see what stands still.
    ///   - unseen: for how long it has been unseen.
    /// - Returns: where it is instead, if the place where the detector was last sure of it still looks the same.
    mutating func doubt(at box: Box, in plane: LumaPlane, before: LumaPlane?, unseen: Nanoseconds) -> Box? {
        guard !isAbsent, !isHiding, let portrait else { return nil }
        guard let here = Portrait(of: box, in: plane) else {
            // It has left the picture, or nearly.
            isAbsent = true
            return nil
        }
        let fit = Self.fit(portrait, near: box, in: plane)
        if fit.isWhole { return nil }
        let there = Portrait(of: sureBox, in: plane)
        if let there, portrait.difference(there) < Self.noise { return sureBox }
        isHiding = !isMissing && (fit.isHalf && unseen < Self.vanishing || there.map(isBeforeIt) ?? false)
        isMissing = true
        if isHiding { return nil }
        let isStill = before.flatMap { Portrait(of: box, in: $0) }.map { here.difference($0) < Self.noise } ?? false
        isAbsent = isStill || unseen > Self.patience
        return nil
    }

    /// Whether the picture shows it at `box`, as far as it is known what it looks like. What went behind something is not visible.
    func isVisible(at box: Box, in plane: LumaPlane) -> Bool {
        !isHiding && (portrait.map { Self.fit($0, near: box, in: plane).isWhole } ?? true)
    }

    /// Whether what hid half of it still stands there.
    private func isBeforeIt(_ there: Portrait) -> Bool {
        guard let portrait, let hiddenHalf else { return false }
        return portrait.difference(there, in: hiddenHalf) < Self.noiseOfHalf
    }

    /// Looks for the portrait in the box and a little around it.
    private static func fit(_ portrait: Portrait, near box: Box, in plane: LumaPlane) -> (isWhole: Bool, isHalf: Bool) {
        var isHalf = false
        for down in -2...2 {
            for across in -2...2 {
                let place = box.offset(x: 0.1 * box.width * Double(across), y: 0.05 * box.height * Double(down))
                guard let seen = Portrait(of: place, in: plane) else { continue }
                if portrait.difference(seen) < noise { return (true, true) }
                let correlation = portrait.correlation(seen)
                if correlation.whole > likeness { return (true, true) }
                isHalf = isHalf || correlation.halves.max() > likenessOfHalf
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
    private static let likeness = 0.6
    private static let likenessOfHalf = 0.75
    /// Within so long after it was seen it goes behind whatever hides it, if that is what happens.
    private static let vanishing: Nanoseconds = 150_000_000
    /// For so long something that moves may be in the way of what is looked for.
    static let patience: Nanoseconds = 600_000_000
}
