import CODTGStreamer

@testable import SwiftODT

/// Updates a tracker at any 64-bit times, with detections of earlier and later frames.
func fuzzTime(_ bytes: FuzzedBytes) -> CInt {
    var bytes = bytes
    let tracker = Tracker()
    for frame in 0..<16 where !bytes.rest.isEmpty {
        var time: Nanoseconds = bytes.next()
        if bytes.next(UInt8.self) & 1 == 1 { time = Nanoseconds(frame) * 40_000_000 }
        tracker.advance(to: time, width: 640, height: 480, luma: nil)
        let seen: Nanoseconds = bytes.next(UInt8.self) & 1 == 1 ? time : bytes.next()
        let box = Box(
            x: Double(bytes.next(Int16.self)), y: Double(bytes.next(Int16.self)),
            width: Double(bytes.next(UInt8.self)), height: Double(bytes.next(UInt8.self)))
        tracker.update([Detection(box: box, score: Double(bytes.next(UInt8.self)) / 255)], seenAt: seen)
        for track in tracker.tracks where !track.box.isFinite { fatalError("a track's box is not finite: \(track)") }
        if bytes.next(UInt8.self) == 255 { tracker.reset(reason: .flush) }
    }
    return 0
}
