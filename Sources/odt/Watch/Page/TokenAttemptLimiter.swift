import SwiftODT

/// Counts wrong tokens by client address. After ``maximum`` wrong tokens within ``period``, further wrong ones are
/// rejected without a check.
struct TokenAttemptLimiter {
    /// The number of wrong tokens per period that mistyping may explain.
    static let maximum = 20
    static let period: Nanoseconds = 60_000_000_000
    /// The maximum number of remembered addresses. An attacker with more addresses still has to guess 128 bits.
    private static let maximumAddresses = 256

    private var tries: [String: (count: Int, since: Nanoseconds)] = [:]

    mutating func note(_ address: String, at now: Nanoseconds) {
        if tries.count >= Self.maximumAddresses { tries = tries.filter { now - $0.value.since < Self.period } }
        if tries.count >= Self.maximumAddresses, let oldest = tries.min(by: { $0.value.since < $1.value.since }) {
            tries[oldest.key] = nil
        }
        let known = tries[address].flatMap { now - $0.since < Self.period ? $0 : nil }
        tries[address] = ((known?.count ?? 0) + 1, known?.since ?? now)
    }

    func mustWait(_ address: String, at now: Nanoseconds) -> Bool {
        guard let known = tries[address], now - known.since < Self.period else { return false }
        return known.count >= Self.maximum
    }
}
