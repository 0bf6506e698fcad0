@testable import SwiftODT

/// Parses zones and counts objects in them, whose boxes come from the same bytes.
func fuzzZones(_ bytes: FuzzedBytes) -> CInt {
    guard let zones = try? Zone.list(parsing: bytes.all, file: "zones.json") else { return 0 }
    var (watch, bytes) = (ZoneWatch(zones), bytes)
    for step in 0..<6 {
        watch.setPicture(
            at: ZoneWatch.Picture(
                width: bytes.next(below: 4000), height: bytes.next(below: 4000),
                orientation: Orientation.allCases[bytes.next(below: 8)]))
        let box = Box(
            x: Double(bytes.next(Int16.self)), y: Double(bytes.next(Int16.self)),
            width: Double(bytes.next(below: 2000)),
            height: Double(bytes.next(below: 2000)))
        _ = watch.ignores(Detection(box: box, score: 1))
        let track = Track(id: step % 3, box: box, score: 1)
        watch.follow([track], at: Nanoseconds(step) * 500_000_000)
        watch.count([track])
    }
    watch.reset()
    _ = watch.takeEvents()
    return 0
}
