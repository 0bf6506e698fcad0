/// The accumulated evidence from one source (the detector's labels, or a classifier's results) for an object's
/// category.
///
/// The first result sets the verdict at once. Hysteresis then stabilises it: another category must lead by a margin,
/// and a known category is dropped only well below the threshold.
struct CategoryEvidence: Sendable {
    /// Lead of another category, as a share of the total weight, that changes the verdict.
    private static let leadToChange = 0.15
    /// How far below the threshold a verdict is retained.
    private static let slack = 0.1
    /// Lead of the best category over the second one, below which the evidence is ambiguous.
    private static let clearLead = 0.25

    private var mass = CategoryScores()
    private var weight = 0.0
    private(set) var verdict: CategoryVerdict = .unknown

    /// Whether there is no evidence yet.
    var isEmpty: Bool { weight == 0 }

    /// Whether another result might change the verdict: two categories are close, or none reaches the threshold.
    var isAmbiguous: Bool {
        guard weight > 0 else { return true }
        let best = mass.best
        let second = Category.allCases.lazy.filter { $0 != best }.map { mass[$0] }.max() ?? 0
        return mass[best] - second < Self.clearLead * weight || verdict.category != best
    }

    /// Adds a result.
    /// - Parameters:
    ///   - memory: the factor by which the weight of earlier results decays, 0...1.
    ///   - threshold: the minimum share of a category for a verdict.
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
