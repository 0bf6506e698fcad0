import Playback
import SwiftODT

/// Extracts the best picture of each track and a background frame from recorded segments.
struct RecordedPictures {
    private(set) var frame: [UInt8]?
    /// The best pictures as JPEG files, one per track, in the order of the tracks; `nil` for a track whose best moment
    /// is in no segment.
    private(set) var pictures: [[UInt8]?]
    /// The number of the signal that ended the pass over a segment; `nil` if no signal did.
    private(set) var signal: Int32?

    /// Reads each segment that contains the best moment of a track, up to the last such moment. Segments that cannot be
    /// read are skipped.
    ///
    /// - Parameter tracks: Tracks from a database. Their stream times are wall-clock times.
    init(of tracks: [ObservedTrack], in segments: [StoredSegment], _ observations: Observations) {
        pictures = Array(repeating: nil, count: tracks.count)
        // Segments are searched by session, because the sessions of one camera overlap in time if files are watched
        // faster than real time.
        let bySession = Dictionary(grouping: segments, by: \.session)
        var moments: [String: [BestPictures.Moment]] = [:]
        for (place, track) in tracks.enumerated() {
            guard let best = track.best, let session = observations.recording(of: track) else { continue }
            for segment in bySession[session] ?? [] {
                guard let time = segment.place(of: best.streamTime) else { continue }
                moments[segment.file, default: []].append(.init(place: place, time: time, box: best.box))
                break
            }
        }
        let count = moments.values.reduce(0) { $0 + $1.count }
        for segment in segments {
            // Retention limits delete segments, so a missing file is not an error.
            guard let wanted = moments[segment.file], PathText.isThere(segment.file) else { continue }
            do {
                let found = try BestPictures(
                    of: wanted, count: tracks.count, frameAt: frame == nil ? wanted.map(\.time).min() : nil,
                    among: count, in: MediaSource(segment.file), turned: observations.orientation)
                for moment in wanted { pictures[moment.place] = found.pictures[moment.place] }
                frame = frame ?? found.frame
                signal = found.signal
            } catch { printError("odt report: \(error)") }
            if signal != nil { return }
        }
    }

    var missingCount: Int { pictures.count { $0 == nil } }
}
