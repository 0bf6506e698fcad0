import Foundation

/// Returns the seed of a randomised test: the environment variable SWIFTODT_SEED, or a random number. It is printed so
/// that a failed run can be repeated.
public func testSeed(_ test: String = #function) -> UInt64 {
    let seed =
        ProcessInfo.processInfo.environment["SWIFTODT_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
    print("\(test): SWIFTODT_SEED=\(seed)")
    return seed
}
