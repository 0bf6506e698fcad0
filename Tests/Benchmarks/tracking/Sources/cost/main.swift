// Measures tracking: microseconds per frame for 30 to 1,000 objects with detections of nearly all of them in every
// frame, and for frames without detections, in which boxes follow the image. Prints medians of all frames after a
// warm-up.

for count in [30, 100, 300, 1000] {
    let microseconds = trackingCost(objects: count)
    let each = microseconds / Double(count)
    print("tracking: \(count) objects \(rounded(microseconds)) us a frame, \(rounded(each)) us an object")
}
let plane = texturedPlane(width: 1920, height: 1080, shift: 0)
for count in [30, 300] {
    let microseconds = trackingCost(objects: count, luma: plane)
    print("tracking with pictures: \(count) objects \(rounded(microseconds)) us a frame")
}
for count in [1, 5, 30] {
    print("carrying: \(count) objects, 1280x720, \(rounded(carryingCost(objects: count))) us a frame without an answer")
}

func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
