/// The accumulated evidence for the category of one object. The evidence comes from one source: the labels of the
/// detector, or the results of a classifier.
///
/// The first result sets the verdict at once. After that, hysteresis stabilises the verdict. Another category must lead
/// by a margin. A known category is dropped only well below the threshold.
struct CategoryEvidence: Sendable {
    /// The lead over the current category with which another category replaces it, as a fraction of the total weight.
    private static let leadToChange = 0.15
    /// A known category is dropped if its fraction of the total weight is more than this below the threshold.
    private static let dropTolerance = 0.1
    /// The minimum lead of the best category over the second one in clear evidence, as a fraction of the total weight.
    private static let clearLead = 0.25

    /// The weighted sum of the scores of each category.
    private var mass = CategoryScores()
    /// The total weight of the results.
    private var weight = 0.0
    private(set) var verdict: CategoryVerdict = .unknown

    /// Whether there is no evidence yet.
    var isEmpty: Bool { weight == 0 }

    /// Whether another result might change the verdict: two categories are close, or no category reaches the threshold.
    var isAmbiguous: Bool {
        guard weight > 0 else { return true }
        let best = mass.best
        let second = Category.allCases.lazy.filter { $0 != best }.map { mass[$0] }.max() ?? 0
        return mass[best] - second < Self.clearLead * weight || verdict.category != best
    }

    /// Adds a result.
    ///
    /// - Parameters:
    ///   - memory: the factor by which the weight of earlier results is reduced, 0 to 1.
    ///   - threshold: the fraction of the total weight from which on a category becomes the verdict.
    mutating func add(_ scores: CategoryScores, memory: Double, threshold: Double) {
        guard scores.isValid else { return }
        mass = mass * memory + scores
        weight = weight * memory + 1

        var category = mass.best
        let kept = verdict.category
        if kept != .unknown, share(kept) + Self.leadToChange >= share(category),
            share(kept) >= threshold - Self.dropTolerance
        {
            category = kept
        } else if share(category) < threshold {
            category = .unknown
        }
        verdict = CategoryVerdict(
            category: category, confidence: category == .unknown ? nil : min(1, max(0, share(category))))
    }

    /// Returns the fraction of the total weight for a category.
    private func share(_ category: Category) -> Double { mass[category] / weight }
}
