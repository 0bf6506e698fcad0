// Counts who crosses the middle of a camera's picture: swift run zones [/dev/video0|rtsp://...|PIPELINE]
// A PIPELINE is a description with '!', for example "v4l2src ! jpegdec". Ctrl-C ends the program.
import SwiftODT
import SwiftODTVideo

let name = CommandLine.arguments.dropFirst().first ?? "/dev/video0"
let source = name.contains(" ! ") ? VideoSource.pipeline(name) : VideoSource(name)

let middle = Zone(name: "middle", kind: .line, points: [Zone.Point(0.5, 1), Zone.Point(0.5, 0)], anchor: .centre)
let left = Zone(
    name: "left half", kind: .area,
    points: [Zone.Point(0, 0), Zone.Point(0.5, 0), Zone.Point(0.5, 1), Zone.Point(0, 1)], anchor: .centre)
var options = VideoOptions(multipleObjects: true, detector: .motion, zones: [middle, left])
options.trackMinimumHits = 1

var dropped = 0
for try await result in VideoObjects(of: source, options: options) {
    dropped += result.droppedResults
    for event in result.zoneEvents {
        print(event.timestamp, event.kind, event.zone, event.direction?.rawValue ?? "", event.trackingID ?? 0)
    }
    if let counts = result.zoneCounts.first?.all, !result.zoneEvents.isEmpty {
        print("in \(counts.in), out \(counts.out)")
    }
}
print("ended, \(dropped) results dropped")
