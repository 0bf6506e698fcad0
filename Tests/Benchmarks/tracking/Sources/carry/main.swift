// Measures the extrapolation of boxes between detections on real video. Reads raw grey frames from standard input, and
// detections of every frame in MOTChallenge's format. Prints the scene cuts. With detections it also compares a tracker
// that gets detections in every fifth frame with one that gets them in every frame, and prints the agreement of their
// boxes and the time of a frame without detections.
//
// usage: carry WIDTH HEIGHT RATE [DETECTIONS]

import Glibc
import SwiftODT

let words = CommandLine.arguments
guard words.count >= 4, let width = Int(words[1]), let height = Int(words[2]), let rate = Double(words[3]) else {
    print("usage: carry WIDTH HEIGHT RATE [DETECTIONS] <frames")
    exit(2)
}
let answers = words.count > 4 ? detections(of: words[4]) : [:]
let interval = 5
let pixels = UnsafeMutableRawPointer.allocate(byteCount: width * height, alignment: 64)
let everyFrame = Tracker()
let everyFifth = Tracker()
let watcher = Tracker()
let still = [Detection(box: Box(x: 0, y: 0, width: Double(width), height: Double(height)), score: 1)]
var cuts: [Int] = []
var agreement = Agreement()
var costs: [Double] = []
var frame = 0
while fill(pixels, width * height) {
    let time = Nanoseconds(Double(frame) / rate * 1e9)
    let plane = LumaPlane.reduce(
        Frame(
            format: .gray8, width: width, height: height, planes: [.init(base: pixels, stride: width)], time: time))
    watcher.advance(to: time, width: width, height: height, luma: plane)
    if watcher.tracks.contains(where: { $0.state == .lost }) { cuts.append(frame) }
    watcher.update(still, seenAt: time)

    let found = answers[frame + 1] ?? []
    everyFrame.advance(to: time, width: width, height: height, luma: plane)
    everyFrame.update(found, seenAt: time)
    let spent = ContinuousClock().measure {
        everyFifth.advance(to: time, width: width, height: height, luma: plane)
        if frame % interval == 0 { everyFifth.update(found, seenAt: time) }
        _ = everyFifth.tracks
    }
    if frame % interval != 0 {
        costs.append(Double(spent.components.attoseconds) / 1e12)
        agreement.compareBoxes(everyFrame.tracks, everyFifth.tracks)
    } else {
        agreement.compareIDs(everyFrame.tracks, everyFifth.tracks)
    }
    frame += 1
}
print("cuts before frames: \(cuts.map(String.init).joined(separator: " "))")
if !answers.isEmpty {
    print(agreement)
    costs.sort()
    print(
        "a carried frame: \(Int(costs[costs.count / 2])) us (median), \(Int(costs[costs.count * 95 / 100])) us (95 %)")
}

/// Reads a complete frame from standard input. Returns false at its end.
func fill(_ frame: UnsafeMutableRawPointer, _ count: Int) -> Bool {
    var have = 0
    while have < count {
        let more = read(STDIN_FILENO, frame + have, count - have)
        if more <= 0 { return false }
        have += more
    }
    return true
}
