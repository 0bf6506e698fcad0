import Glibc
import SwiftODT

/// How well one tracker's boxes agree with another's, object by object.
struct Agreement: CustomStringConvertible {
    private var overlaps: [Double] = []
    private var missing = 0
    private var lastPartner: [Int: Int] = [:]
    private var objects: Set<Int> = []
    private var changed: Set<Int> = []

    /// Pairs each object of the reference with the box that overlaps it most.
    mutating func compare(_ reference: [Track], _ other: [Track]) {
        for track in reference where track.state == .tracked || track.state == .new {
            guard let id = track.id else { continue }
            objects.insert(id)
            let partner = other.filter { $0.state != .lost }.max { $0.box.iou(track.box) < $1.box.iou(track.box) }
            guard let partner, let partnerID = partner.id, partner.box.iou(track.box) > 0.3 else {
                missing += 1
                continue
            }
            overlaps.append(partner.box.iou(track.box))
            if let last = lastPartner[id], last != partnerID { changed.insert(id) }
            lastPartner[id] = partnerID
        }
    }

    var description: String {
        let mean = overlaps.reduce(0, +) / Double(max(1, overlaps.count))
        let kept = 1 - Double(changed.count) / Double(max(1, objects.count))
        let seen = Double(overlaps.count) / Double(max(1, overlaps.count + missing))
        return "carried boxes: mean IoU \(thousandths(mean)), \(thousandths(seen)) of boxes have a partner, "
            + "\(thousandths(kept)) of \(objects.count) objects keep one partner"
    }

    private func thousandths(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

/// Detections by frame, from 1, of a file in MOTChallenge format.
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
