import Glibc
import SwiftODT

/// Measures the agreement of a tracker's boxes and ids with those of a reference.
struct Agreement: CustomStringConvertible {
    private var overlaps: [Double] = []
    private var missing = 0
    private var lastPartner: [Int: Int] = [:]
    private var objects: Set<Int> = []
    private var kept = 0
    private var changed = 0

    /// Compares ids after detections that both trackers got: each object of the reference should have the same partner
    /// as after the previous ones.
    mutating func compareIDs(_ reference: [Track], _ other: [Track]) {
        for track in reference where track.state == .tracked {
            guard let id = track.id else { continue }
            objects.insert(id)
            let partner = other.first { $0.state == .tracked && $0.box.iou(track.box) > 0.8 }
            guard let partnerID = partner?.id else { continue }
            if let last = lastPartner[id] {
                kept += last == partnerID ? 1 : 0
                changed += last == partnerID ? 0 : 1
            }
            lastPartner[id] = partnerID
        }
    }

    /// Compares boxes between detections: pairs each object of the reference with the box of the highest IoU.
    mutating func compareBoxes(_ reference: [Track], _ other: [Track]) {
        for track in reference where track.state == .tracked || track.state == .new {
            let overlap = other.lazy.filter { $0.state != .lost }.map { $0.box.iou(track.box) }.max() ?? 0
            if overlap > 0.3 { overlaps.append(overlap) } else { missing += 1 }
        }
    }

    var description: String {
        let mean = overlaps.reduce(0, +) / Double(max(1, overlaps.count))
        let share = Double(kept) / Double(max(1, kept + changed))
        let seen = Double(overlaps.count) / Double(max(1, overlaps.count + missing))
        return "carried boxes: mean IoU \(thousandths(mean)), \(thousandths(seen)) of boxes have a partner, "
            + "ids of \(objects.count) objects kept at \(thousandths(share)) of answers"
    }

    private func thousandths(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

/// Returns the detections of a file in MOTChallenge's format by frame number, from 1.
func detections(of path: String) -> [Int: [Detection]] {
    var found: [Int: [Detection]] = [:]
    guard let file = fopen(path, "r") else {
        print("carry: cannot read \(path)")
        exit(1)
    }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 1024)
    while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let figures = text.split(separator: ",").compactMap { Double($0.filter { !$0.isWhitespace }) }
        guard figures.count >= 7 else { continue }
        let box = Box(x: figures[2], y: figures[3], width: figures[4], height: figures[5])
        found[Int(figures[0]), default: []].append(Detection(box: box, score: figures[6]))
    }
    return found
}
