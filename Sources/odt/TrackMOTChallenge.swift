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
        let bytes = [UInt8](data)
        var columns: [Double] = []
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            try read(line, at: (path, number), in: &columns)
        }
    }

    func detections(in frame: Int) -> [Detection] { byFrame[frame] ?? [] }

    /// Reads one line; `columns` is memory to do it in.
    private mutating func read(
        _ line: ArraySlice<UInt8>, at place: (path: String, line: Int), in columns: inout [Double]
    ) throws {
        func fail(_ what: String) -> MOTChallengeError { MOTChallengeError("\(place.path):\(place.line): \(what)") }

        columns.removeAll(keepingCapacity: true)
        for word in line.split(whereSeparator: Self.isSeparator) {
            if columns.isEmpty, word.first == UInt8(ascii: "#") { return }
            guard let number = DecimalText.number(word) else {
                throw fail("not a number: '\(String(decoding: word.prefix(80), as: UTF8.self))'.")
            }
            columns.append(number)
        }
        if columns.isEmpty { return }
        guard columns.count >= 6 else { throw fail("fewer than the six columns frame,id,x,y,width,height.") }
        guard columns[0] >= 1, columns[0] <= Double(Self.largestFrame), columns[0] == columns[0].rounded() else {
            throw fail("frames are whole numbers from 1, not \(columns[0]).")
        }
        let frame = Int(columns[0])
        let box = Box(x: columns[2], y: columns[3], width: columns[4], height: columns[5])
        let score = columns.count > 6 ? columns[6] : 1
        byFrame[frame, default: []].append(Detection(box: box, score: score))
        lastFrame = max(lastFrame, frame)
        if box.isFinite {
            let limit = 1_048_576.0
            extent.width = max(extent.width, Int(min(max(box.maxX, 1), limit)))
            extent.height = max(extent.height, Int(min(max(box.maxY, 1), limit)))
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): true
        default: false
        }
    }
}

/// Tracks in MOTChallenge's text format.
struct MOTChallengeTracks {
    private(set) var text: [UInt8] = []

    mutating func append(_ track: Track, in frame: Int) {
        DecimalText.append(frame, to: &text)
        text.append(UInt8(ascii: ","))
        DecimalText.append(track.id ?? -1, to: &text)
        for figure in [track.box.x, track.box.y, track.box.width, track.box.height] {
            text.append(UInt8(ascii: ","))
            DecimalText.append(figure, decimals: 2, to: &text)
        }
        text.append(UInt8(ascii: ","))
        DecimalText.append(track.score, decimals: 4, to: &text)
        text.append(contentsOf: ",-1,-1,-1\n".utf8)
    }
}
