import Playback
import SwiftODT

/// A row to store in the database. All times are in milliseconds since 1970 (UTC).
struct StoreRow: Sendable {
    enum Content: Sendable {
        case began
        case ended(reason: String?)
        case result(Result)
        case track(Track)
        case zoneEvent(ZoneEvent)
        case zoneCounts(ZoneCount)
        case segment(Segment)
        case clip(Clip)
        case alarm(event: String, reason: String?)
        /// The files of the camera that may be shown from now on; `nil` for none. The row belongs to no connection.
        case redaction(RedactionFilter?)
    }

    /// The result for one frame. `width` and `height` are the size of the frame in pixels.
    struct Result: Sendable {
        let width: Int64?
        let height: Int64?
        let boxes: [Box]
    }

    /// The box of an object in a result. `corners` are `x-min`, `y-min`, `x-max` and `y-max` in 1/10,000 of the frame's
    /// width and height. `score` is in 1/1,000.
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
        /// The time of the best detection.
        let best: Int64?
        let bestScore: Double?
        /// The position (x, y) and the size (width, height) of the best detection's box in pixels.
        let bestBox: [Int64?]
        /// The reason why the track ended; `nil` while the track is active.
        let reason: String?
    }

    struct ZoneEvent: Sendable {
        let zone: String
        let isLine: Bool
        /// `enter`, `leave`, `dwell`, `in` or `out`.
        let event: String
        let track: Int64?
        let label: String
        /// The dwell time in milliseconds; `nil` if the event has none.
        let dwell: Int64?
    }

    /// A recorded segment. The time of the row is the time of the segment's first frame.
    struct Segment: Sendable {
        /// The time of the segment's last frame.
        let ended: Int64
        /// The stream time from the first frame to the last, in milliseconds.
        let length: Int64
        let file: String
    }

    /// A saved clip. The time of the row is the time at which the clip begins.
    struct Clip: Sendable {
        let ended: Int64
        let file: String
        let picture: String?
    }

    let camera: String
    /// The number of the connection. Connections are counted over all cameras.
    let session: Int
    let time: Int64
    let content: Content

    /// The approximate memory use, as a multiple of the memory use of a row without boxes.
    var weight: Int {
        if case .result(let result) = content { 1 + result.boxes.count } else { 1 }
    }
}
