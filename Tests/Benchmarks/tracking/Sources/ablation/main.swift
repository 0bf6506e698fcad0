// Tracks the detections of a folder of sequences for the ablation: on all frames, on every third and on every sixth one,
// unchanged and with noise, with all heuristics of the tracker except those named.
//
// usage: ablation DATA OUTPUT DRAWS [HEURISTIC ...]    or    ablation --list
//
// DATA holds SET/SEQUENCE/{det/det*.txt,seqinfo.ini} in MOTChallenge's layout. If SEQUENCE holds video.gray, the raw grey
// pictures of its frames, the sequence is tracked a second time with its pictures, and a third time with detections in
// every fifth frame only. Each output file holds records of six floats: frame, id, x, y, width, height.
//
// Draw 0 has the detections as they are. In each further draw, boxes are moved by a pixel (standard deviation) and scores
// by 0.02.

import Glibc
import SwiftODT

let words = CommandLine.arguments
if words.count == 2, words[1] == "--list" {
    for (name, _) in TrackerHeuristics.names { print(name) }
    exit(0)
}
guard words.count >= 4, let draws = Int(words[3]) else {
    print("usage: ablation DATA OUTPUT DRAWS [HEURISTIC ...] | ablation --list")
    exit(2)
}
var options = TrackerOptions()
for word in words[4...] {
    guard let named = TrackerHeuristics.names.first(where: { $0.name == word }) else {
        print("ablation: no heuristic '\(word)'; see ablation --list")
        exit(2)
    }
    options.heuristics.remove(named.heuristic)
}
let output = words[2]
for set in entries(of: words[1]) {
    for name in entries(of: "\(words[1])/\(set)") {
        let folder = "\(words[1])/\(set)/\(name)"
        for file in entries(of: "\(folder)/det") where file.hasSuffix(".txt") && file.hasPrefix("det") {
            guard let sequence = Sequence(folder, file) else { continue }
            for draw in 0..<draws {
                let found = sequence.detections(draw: draw)
                for every in [1, 3, 6] {
                    let path = "\(output)/\(set)+\(name)+\(file)+\(every)+\(draw)"
                    write(sequence.tracks(found, every: every, options: options), to: path)
                }
                guard let pictures = Pictures("\(folder)/video.gray", width: sequence.width, height: sequence.height)
                else { continue }
                for every in [1, 3, 6] {
                    let path = "\(output)/\(set) with pictures+\(name)+\(file)+\(every)+\(draw)"
                    write(sequence.tracks(found, every: every, pictures: pictures, options: options), to: path)
                }
                let path = "\(output)/\(set) with pictures, inference interval 5+\(name)+\(file)+1+\(draw)"
                write(sequence.tracks(found, interval: 5, pictures: pictures, options: options), to: path)
            }
        }
    }
}
