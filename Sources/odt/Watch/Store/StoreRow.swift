import SwiftODT

/// Data of a camera to store in the database. All times are in milliseconds since 1970 (UTC).
struct StoreRow: Sendable {
    /// Columns of a table and their values, without `time` and `session`. All rows of a table must have the same columns
    /// in the same order. If the value of `label` is a text, the writer replaces it by the id of the label.
    typealias Columns = [(name: String, value: SQLiteValue)]

    enum Content: Sendable {
        case began
        case ended(reason: String?)
        /// A row of a table that refers to other tables only by the ids of the session and of the label.
        case row(table: String, Columns)
        /// The result for one frame: the size of the frame in pixels, and for each box all columns except `number`.
        case result(width: Int64?, height: Int64?, boxes: [Columns])
        /// A row of the table `zone_event`, without `zone`.
        case zoneEvent(zone: String, isLine: Bool, Columns)
        case zoneCounts(ZoneCount)
        /// The files of the camera that may be shown from now on; `nil` for none. The row belongs to no connection.
        case redaction(RedactionFilter?)
    }

    let camera: String
    /// The number of the connection. Connections are counted over all cameras.
    let session: Int
    /// The time of the data; for a recorded segment or a clip, the time at which it begins.
    let time: Int64
    let content: Content

    /// The approximate memory use, as a multiple of the memory use of a row without boxes.
    var weight: Int {
        if case .result(_, _, let boxes) = content { 1 + boxes.count } else { 1 }
    }
}
