import Playback

/// A recorded segment of a camera's video, as listed in the database. Times are in seconds since 1970.
struct StoredSegment {
    let camera: String
    let session: Int64
    let began: Double
    let ended: Double
    /// The duration in stream time, whose rate may differ from that of the wall clock, in seconds.
    let length: Double
    var file: String

    /// Returns the stream time of a moment in seconds; `nil` if the segment does not contain the moment.
    func place(of moment: Double) -> Double? {
        guard moment >= began, moment <= ended, ended > began else { return nil }
        return (moment - began) * length / (ended - began)
    }
}
