// Counts the objects in a video by label: swift run counting traffic.mp4 [auto|neural|motion]
import SwiftODT
import SwiftODTVideo

let arguments = CommandLine.arguments.dropFirst()
var options = VideoOptions(multipleObjects: true)
options.detector = arguments.count > 1 ? VideoOptions.Detector(rawValue: arguments[2]) ?? .auto : .auto

var names: [Int: String] = [:]
var frames = 0
for try await result in VideoObjects(of: arguments.first ?? "in.mp4", options: options) {
    frames += 1
    for warning in result.warnings { print(warning) }
    for object in result.visibleObjects {
        if let id = object.trackingID { names[id] = object.name ?? "object" }
    }
}
for (name, ids) in Dictionary(grouping: names.keys, by: { names[$0] ?? "" }).sorted(by: { $0.key < $1.key }) {
    print("\(name): \(ids.count)")
}
print("\(names.count) objects in \(frames) results")
