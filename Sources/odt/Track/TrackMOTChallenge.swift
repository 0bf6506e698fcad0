import SwiftODT

struct MOTChallengeDetections {
    private var byFrame: [Int: [Detection]] = [:]
    /// The extent of all boxes in pixels. It is used as the frame size if the frame size is unknown.
    private(set) var extent = (width: 1, height: 1)

    /// The largest accepted frame number. Larger numbers indicate a broken file.
    static let largestFrame = 10_000_000

    init(path: String) throws {
        try read(ByteStream.read(path), of: path)
    }

    var frames: [Int] { byFrame.keys.sorted() }

    func detections(in frame: Int) -> [Detection] { byFrame[frame] ?? [] }

    /// Lines may end in LF, CRLF or CR. A UTF-8 byte-order mark is skipped.
    private mutating func read(_ bytes: [UInt8], of path: String) throws {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw MOTChallengeError("\(path) is UTF-16 text; save it as UTF-8.")
        }
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        let (feed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var line = MOTChallengeLine()
        var number = 0
        while !rest.isEmpty {
            number += 1
            let text = rest.prefix { $0 != feed && $0 != carriageReturn }
            do {
                try line.read(text)
                try add(line.columns, score: line.score)
            } catch {
                throw MOTChallengeError("\(path):\(number): \(error)")
            }
            rest = rest[text.endIndex...]
            rest = rest.dropFirst(rest.starts(with: [carriageReturn, feed]) ? 2 : 1)
        }
    }

    private mutating func add(_ columns: [Double], score: Double) throws(MOTChallengeError) {
        if columns.isEmpty { return }
        guard columns[0] >= 1, columns[0] <= Double(Self.largestFrame), columns[0] == columns[0].rounded() else {
            throw MOTChallengeError("the frame must be an integer from 1 to \(Self.largestFrame), not \(columns[0]).")
        }
        let box = Box(x: columns[2], y: columns[3], width: columns[4], height: columns[5])
        byFrame[Int(columns[0]), default: []].append(Detection(box: box, score: score))
        if box.isFinite {
            let limit = 1_048_576.0
            extent.width = max(extent.width, Int(min(max(box.maxX, 1), limit)))
            extent.height = max(extent.height, Int(min(max(box.maxY, 1), limit)))
        }
    }
}

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
