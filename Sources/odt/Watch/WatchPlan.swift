import Playback
import SwiftODT

/// The cameras to watch, and the time limits of their connections.
struct WatchPlan: Sendable {
    let cameras: [CameraPlan]
    let options: WatchOptions
    /// The time without a frame after which a camera counts as lost.
    let frameTimeout: Nanoseconds
    /// The maximum delay between two attempts to connect.
    let longestPause: Nanoseconds

    init(_ cameras: [CameraPlan], _ options: WatchOptions) throws {
        (self.cameras, self.options) = (cameras, options)
        frameTimeout = try options.number("timeout", in: 1...86_400).map { Nanoseconds(seconds: $0) } ?? 20_000_000_000
        longestPause =
            try options.number("retry", in: 0.01...86_400).map { Nanoseconds(seconds: $0) } ?? BackOff.usualLongest
    }
}
