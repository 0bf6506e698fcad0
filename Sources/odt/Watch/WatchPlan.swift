import Playback
import SwiftODT

/// What is to be watched, and how patiently.
struct WatchPlan: Sendable {
    let cameras: [CameraPlan]
    let options: WatchOptions
    /// A camera that sends nothing for so long is lost.
    let frameTimeout: Nanoseconds
    /// The longest pause between two attempts to connect.
    let longestPause: Nanoseconds

    init(_ cameras: [CameraPlan], _ options: WatchOptions) throws {
        (self.cameras, self.options) = (cameras, options)
        frameTimeout = try options.number("timeout", in: 1...86_400).map { Nanoseconds(seconds: $0) } ?? 20_000_000_000
        longestPause =
            try options.number("retry", in: 0.01...86_400).map { Nanoseconds(seconds: $0) } ?? BackOff.usualLongest
    }
}
