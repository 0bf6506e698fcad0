import Foundation

/// The seed of a randomised test: that of the environment variable SWIFTODT_SEED, else another one each time. It is printed,
/// so that a run that failed can be repeated.
public func testSeed(_ test: String = #function) -> UInt64 {
    let seed =
        ProcessInfo.processInfo.environment["SWIFTODT_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
    print("\(test): SWIFTODT_SEED=\(seed)")
    return seed
}
