// Tracks the detections of a sequence for the ablation: on every N-th frame, unchanged and with noise, with all heuristics
// of the tracker except those named.
//
// usage: ablation SEQUENCE OUTPUT DRAWS N[,N...] [HEURISTIC ...]    or    ablation --list
//
// SEQUENCE is a folder with det/det*.txt and seqinfo.ini in MOTChallenge's layout. If it holds video.gray, the raw grey
// pictures of its frames, the sequence is tracked a second time with its pictures, and a third time with detections in
// every fifth frame only. Each output file holds records of six floats: frame, id, x, y, width, height.
//
// Draw 0 has the detections as they are. In each further draw, boxes are moved by a pixel (standard deviation) and scores
// by 0.02.

import Glibc
import SwiftODT

let words = CommandLine.arguments
if words.count == 2, words[1] == "--list" {
    for heuristic in TrackerHeuristic.allCases { print(heuristic) }
    exit(0)
}
guard words.count >= 5, let draws = Int(words[3]) else {
    print("usage: ablation SEQUENCE OUTPUT DRAWS N[,N...] [HEURISTIC ...] | ablation --list")
    exit(2)
}
var options = TrackerOptions()
for word in words[5...] {
    guard let heuristic = TrackerHeuristic.allCases.first(where: { "\($0)" == word }) else {
        print("ablation: no heuristic '\(word)'; see ablation --list")
        exit(2)
    }
    options.heuristics.remove(heuristic)
}
let (folder, output) = (words[1], words[2])
let rates = words[4].split(separator: ",").compactMap { Int($0) }
for file in entries(of: "\(folder)/det") where file.hasSuffix(".txt") && file.hasPrefix("det") {
    guard let sequence = Sequence(folder, file) else { continue }
    let pictures = Pictures("\(folder)/video.gray", width: sequence.width, height: sequence.height)
    for draw in 0..<draws {
        let found = sequence.detections(draw: draw)
        for every in rates {
            write(sequence.tracks(found, every: every, options: options), to: "\(output)/+\(file)+\(every)+\(draw)")
        }
        guard let pictures else { continue }
        for every in rates {
            let path = "\(output)/ with pictures+\(file)+\(every)+\(draw)"
            write(sequence.tracks(found, every: every, pictures: pictures, options: options), to: path)
        }
        let path = "\(output)/ with pictures, inference interval 5+\(file)+1+\(draw)"
        write(sequence.tracks(found, interval: 5, pictures: pictures, options: options), to: path)
    }
}
