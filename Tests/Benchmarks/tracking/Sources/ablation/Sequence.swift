import Glibc
import SwiftODT

/// A sequence in MOTChallenge's layout, with the detections of one detector.
struct Sequence {
    let width: Int
    let height: Int
    private let rate: Double
    private let found: [[Detection]]

    /// Returns `nil` if `folder` has no seqinfo.ini or lacks one of its values.
    init?(_ folder: String, _ file: String) {
        var about: [String: Double] = [:]
        for line in lines(of: "\(folder)/seqinfo.ini") {
            let parts = line.split(separator: "=")
            if parts.count == 2 { about[trimmed(parts[0])] = Double(trimmed(parts[1])) }
        }
        guard let rate = about["frameRate"], let length = about["seqLength"], let width = about["imWidth"],
            let height = about["imHeight"]
        else { return nil }
        (self.rate, self.width, self.height) = (rate, Int(width), Int(height))
        var found = [[Detection]](repeating: [], count: Int(length))
        for line in lines(of: "\(folder)/det/\(file)") {
            let figures = line.split(separator: ",").compactMap { Double($0) ?? Double(trimmed($0)) }
            guard figures.count >= 7, found.indices.contains(Int(figures[0]) - 1) else { continue }
            let box = Box(x: figures[2], y: figures[3], width: figures[4], height: figures[5])
            found[Int(figures[0]) - 1].append(Detection(box: box, score: figures[6]))
        }
        self.found = found
    }

    /// Returns the detections of each frame, from draw 1 up with noise.
    func detections(draw: Int) -> [[Detection]] {
        if draw == 0 { return found }
        var random = SplitMix(state: UInt64(draw))
        return found.map {
            $0.map { detection in
                let box = Box(
                    x: detection.box.x + random.normal(), y: detection.box.y + random.normal(),
                    width: max(1, detection.box.width + random.normal()),
                    height: max(1, detection.box.height + random.normal()))
                return Detection(box: box, score: min(max(detection.score + 0.02 * random.normal(), 0), 1))
            }
        }
    }

    /// Returns the tracks of every N-th frame as records of frame, id, x, y, width and height.
    ///
    /// - Parameter interval: only one in this number of frames has detections. If it is above 1, the propagated boxes of
    ///   the other frames are returned, too.
    func tracks(
        _ found: [[Detection]], every: Int = 1, interval: Int = 1, pictures: Pictures? = nil, options: TrackerOptions
    ) -> [Float] {
        let tracker = Tracker(options: options)
        var records: [Float] = []
        for (number, index) in stride(from: 0, to: found.count, by: every).enumerated() {
            let time = Nanoseconds(Double(index) / rate * 1e9)
            let luma = pictures?.plane(index, time: time)
            tracker.advance(to: time, width: width, height: height, luma: luma)
            if number % interval == 0 { tracker.update(found[index], seenAt: time) }
            for track in tracker.currentTracks {
                records.append(contentsOf: [Float(number + 1), Float(track.id ?? -1)])
                records.append(
                    contentsOf: [track.box.x, track.box.y, track.box.width, track.box.height].map { Float($0) })
            }
            _ = tracker.takeEvents()
        }
        return records
    }
}

/// The raw grey pictures of a video in a file.
final class Pictures {
    private let file: UnsafeMutablePointer<FILE>
    private let (width, height): (Int, Int)
    private let pixels: UnsafeMutableRawPointer

    /// Returns `nil` if the file does not exist.
    init?(_ path: String, width: Int, height: Int) {
        guard let file = fopen(path, "r") else { return nil }
        (self.file, self.width, self.height) = (file, width, height)
        pixels = .allocate(byteCount: width * height, alignment: 64)
    }

    deinit {
        fclose(file)
        pixels.deallocate()
    }

    /// Returns the reduced luma plane of a frame. `nil` after the end of the file.
    func plane(_ index: Int, time: Nanoseconds) -> LumaPlane? {
        fseek(file, index * width * height, SEEK_SET)
        guard fread(pixels, width * height, 1, file) == 1 else { return nil }
        return LumaPlane.reduce(
            Frame(
                format: .gray8, width: width, height: height, planes: [.init(base: pixels, stride: width)], time: time))
    }
}

/// A random number generator with a seed (SplitMix64), so that each run has the same noise.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from the standard normal distribution (Box-Muller transform).
    mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: 1e-12..<1, using: &self))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}

/// Returns the names in a folder, sorted. Hidden files are left out.
func entries(of folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
}

func lines(of path: String) -> [Substring] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&part, 1, part.count, file), count > 0 { bytes.append(contentsOf: part[..<count]) }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
}

func trimmed(_ text: Substring) -> String { String(text.filter { !$0.isWhitespace }) }

func write(_ records: [Float], to path: String) {
    guard let file = fopen(path, "w"), fwrite(records, 4, records.count, file) == records.count, fclose(file) == 0
    else {
        print("ablation: cannot write \(path)")
        exit(1)
    }
}
