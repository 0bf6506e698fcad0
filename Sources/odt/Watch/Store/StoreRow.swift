import Playback
import SwiftODT

/// What is to be stored of a message. Times are in milliseconds since 1970.
struct StoreRow: Sendable {
    enum Content: Sendable {
        case began
        case ended(reason: String?)
        case result(Result)
        case track(Track)
        case zoneEvent(ZoneEvent)
        case zoneCounts(ZoneFigures)
        case segment(Segment)
    }

    struct Result: Sendable {
        let width: Int64?
        let height: Int64?
        let boxes: [Box]
    }

    /// Places in ten thousandths of the picture's sides, the score in thousandths.
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
        /// Of one that has ended.
        let reason: String?
    }

    struct ZoneEvent: Sendable {
        let zone: String
        let isLine: Bool
        /// `enter`, `leave`, `dwell`, `in`, `out`.
        let event: String
        let track: Int64?
        let label: String
        let dwell: Int64?
    }

    /// Video, whose first frame has the time of the row.
    struct Segment: Sendable {
        let ended: Int64
        /// From the first frame to the last one, by the stream's clock.
        let length: Int64
        let file: String
    }

    let camera: String
    /// Counts the connections of all cameras.
    let session: Int
    let time: Int64
    let content: Content

    /// What it takes in memory, compared with a row.
    var weight: Int {
        if case .result(let result) = content { 1 + result.boxes.count } else { 1 }
    }
}
