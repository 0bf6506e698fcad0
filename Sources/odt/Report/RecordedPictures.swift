import Playback
import SwiftODT

/// Each track's picture from the segments that the same watch recorded, and a frame.
struct RecordedPictures {
    private(set) var frame: [UInt8]?
    /// In the order of the tracks; none for those whose moment is in no segment.
    private(set) var pictures: [[UInt8]?]
    /// The signal that ended the pass over a video, if one did.
    private(set) var signal: Int32?

    /// Reads each segment in which a track was seen best, as far as the last such moment. A segment that cannot be read is left out.
    ///
    /// - Parameter tracks: of a store, in whose messages the video's time is the wall clock's.
    init(of tracks: [ObservedTrack], in segments: [StoredSegment], _ observations: Observations) {
        pictures = Array(repeating: nil, count: tracks.count)
        // Sessions of one camera may overlap where files are watched faster than they last.
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
            // Segments that the limits of the recording have deleted are no news.
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
