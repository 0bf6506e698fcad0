import SwiftODT

/// Counts wrong tokens by address. After ``maximum`` of them within ``period``, the answer to further wrong ones is to wait.
struct TokenAttemptLimiter {
    /// So many a minute are those of somebody who mistypes.
    static let maximum = 20
    static let period: Nanoseconds = 60_000_000_000
    /// Addresses that are remembered; who has more of them to try from still has 128 bits before him.
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
