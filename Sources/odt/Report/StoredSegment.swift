import Playback

/// A recorded segment of a camera's video, as listed in the database. `began` and `ended` are in seconds since 1970
/// (UTC).
struct StoredSegment {
    let camera: String
    let session: Int64
    let began: Double
    let ended: Double
    /// The duration of the segment in stream time, in seconds. It may differ from the wall-clock duration if the
    /// camera's clock runs at another rate.
    let length: Double
    var file: String

    /// Returns the stream time within the segment at a wall-clock time, both in seconds; `nil` if the segment does not
    /// cover this wall-clock time.
    func place(of moment: Double) -> Double? {
        guard moment >= began, moment <= ended, ended > began else { return nil }
        return (moment - began) * length / (ended - began)
    }
}
