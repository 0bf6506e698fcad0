import Foundation
import SwiftODT

/// A file of detections that cannot be read. The text says what is wrong and where.
struct MOTChallengeError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Detections in MOTChallenge's text format, by frame.
struct MOTChallengeDetections {
    private var byFrame: [Int: [Detection]] = [:]
    private(set) var lastFrame = 0
    /// How far the boxes reach: stands in for the size of the picture where it is not known.
    private(set) var extent = (width: 1, height: 1)

    /// The format's frame numbers are small; a huge one is a broken file, and every frame up to it would be walked.
    static let largestFrame = 10_000_000

    /// Reads a file, or standard input for `-`.
    init(path: String) throws {
        let data: Data
        if path == "-" {
            data = FileHandle.standardInput.readDataToEndOfFile()
        } else {
            guard let contents = FileManager.default.contents(atPath: path) else {
                throw MOTChallengeError("cannot read '\(path)': it is not there, or may not be read.")
            }
            data = contents
        }
        var number = 0
        for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            if text.isEmpty || text.hasPrefix("#") { continue }
            try read(text, at: "\(path):\(number)")
        }
    }

    func detections(in frame: Int) -> [Detection] { byFrame[frame] ?? [] }

    private mutating func read(_ text: String, at place: String) throws {
        let separators: Set<Character> = [",", ";", " ", "\t"]
        let words = text.split(whereSeparator: separators.contains)
        let numbers = words.compactMap { Double($0) }
        guard numbers.count == words.count else {
            throw MOTChallengeError("\(place): not a number in '\(text.prefix(80))'.")
        }
        guard numbers.count >= 6 else {
            throw MOTChallengeError("\(place): fewer than the six columns frame,id,x,y,width,height.")
        }
        guard numbers[0] >= 1, numbers[0] <= Double(Self.largestFrame), numbers[0] == numbers[0].rounded() else {
            throw MOTChallengeError("\(place): frames are whole numbers from 1, not '\(words[0])'.")
        }
        let frame = Int(numbers[0])
        let box = Box(x: numbers[2], y: numbers[3], width: numbers[4], height: numbers[5])
        let score = numbers.count > 6 ? numbers[6] : 1
        byFrame[frame, default: []].append(Detection(box: box, score: score))
        lastFrame = max(lastFrame, frame)
        if box.isFinite {
            let limit = 1_048_576.0
            extent.width = max(extent.width, Int(min(max(box.maxX, 1), limit)))
            extent.height = max(extent.height, Int(min(max(box.maxY, 1), limit)))
        }
    }

    /// One box of a result file.
    static func line(frame: Int, track: Track) -> String {
        let figures = [track.box.x, track.box.y, track.box.width, track.box.height]
            .map { String(format: "%.2f", $0) }.joined(separator: ",")
        return "\(frame),\(track.id ?? -1),\(figures),\(String(format: "%.4f", track.score)),-1,-1,-1\n"
    }
}
