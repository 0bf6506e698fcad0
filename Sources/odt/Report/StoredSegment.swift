import Playback

/// A piece of a camera's recorded video, as a store knows it. Times are in seconds since 1970.
struct StoredSegment {
    let camera: String
    let session: Int64
    let began: Double
    let ended: Double
    /// In the video's own time, which may be faster or slower than the wall clock.
    let length: Double
    var file: String

    /// Where in the video a moment is; `nil` for a moment outside.
    func place(of moment: Double) -> Double? {
        guard moment >= began, moment <= ended, ended > began else { return nil }
        return (moment - began) * length / (ended - began)
    }
}
