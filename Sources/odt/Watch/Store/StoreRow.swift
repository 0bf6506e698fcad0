import Playback
import SwiftODT

/// A row to store. Times are in milliseconds since 1970.
struct StoreRow: Sendable {
    enum Content: Sendable {
        case began
        case ended(reason: String?)
        case result(Result)
        case track(Track)
        case zoneEvent(ZoneEvent)
        case zoneCounts(ZoneCount)
        case segment(Segment)
    }

    struct Result: Sendable {
        let width: Int64?
        let height: Int64?
        let boxes: [Box]
    }

    /// A box. Coordinates are in 1/10,000 of the frame's width and height, the score is in 1/1,000.
    struct Box: Sendable {
        let track: Int64?
        let label: String
        let category: Int
        let score: Int64
        let corners: [Int64]
    }

    struct Track: Sendable {
        let id: Int64
        let first: Int64
        let last: Int64
        let label: String
        let category: Int
        let pathLength: Double?
        let best: Int64?
        let bestScore: Double?
        /// x, y, width and height in pixels.
        let bestBox: [Int64?]
        /// The reason of the track's end; `nil` while the track is active.
        let reason: String?
    }

    struct ZoneEvent: Sendable {
        let zone: String
        let isLine: Bool
        /// `enter`, `leave`, `dwell`, `in` or `out`.
        let event: String
        let track: Int64?
        let label: String
        let dwell: Int64?
    }

    /// A recorded segment. The row's time is that of its first frame.
    struct Segment: Sendable {
        let ended: Int64
        /// The stream time from the first frame to the last, in milliseconds.
        let length: Int64
        let file: String
    }

    let camera: String
    /// The number of the connection, counted over all cameras.
    let session: Int
    let time: Int64
    let content: Content

    /// The approximate memory use, in rows.
    var weight: Int {
        if case .result(let result) = content { 1 + result.boxes.count } else { 1 }
    }
}
