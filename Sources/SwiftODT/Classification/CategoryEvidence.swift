/// What one source (the detector's labels, or a classifier's answers) has said about an object so far.
///
/// A verdict is given at once and then kept against noise: another category has to lead by a margin, and a known one is
/// given up only well below the threshold.
struct CategoryEvidence: Sendable {
    /// What another category has to lead by, as a share of all that was said, before the verdict changes.
    private static let leadToChange = 0.15
    /// How far below the threshold a verdict is still kept.
    private static let slack = 0.1
    /// Answers in which the first category leads the second by less leave doubt.
    private static let clearLead = 0.25

    private var mass = CategoryScores()
    private var weight = 0.0
    private(set) var verdict: CategoryVerdict = .unknown

    /// Whether nothing has been said yet.
    var isEmpty: Bool { weight == 0 }

    /// Whether another answer might change the verdict: two categories are close, or none reaches the threshold.
    var isAmbiguous: Bool {
        guard weight > 0 else { return true }
        let best = mass.best
        let second = Category.allCases.lazy.filter { $0 != best }.map { mass[$0] }.max() ?? 0
        return mass[best] - second < Self.clearLead * weight || verdict.category != best
    }

    /// Adds an answer.
    /// - Parameters:
    ///   - memory: what earlier answers still count, 0...1.
    ///   - threshold: the share that a category needs to be believed.
    mutating func add(_ scores: CategoryScores, memory: Double, threshold: Double) {
        guard scores.isValid else { return }
        mass = mass * memory + scores
        weight = weight * memory + 1

        var category = mass.best
        let kept = verdict.category
        if kept != .unknown, share(kept) + Self.leadToChange >= share(category), share(kept) >= threshold - Self.slack {
            category = kept
        } else if share(category) < threshold {
            category = .unknown
        }
        verdict = CategoryVerdict(
            category: category, confidence: category == .unknown ? nil : min(1, max(0, share(category))))
    }

    private func share(_ category: Category) -> Double { mass[category] / weight }
}
