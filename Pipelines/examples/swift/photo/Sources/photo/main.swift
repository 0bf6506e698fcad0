// Prints the objects of a photo, with the API of ML Kit for iOS: swift run photo street.jpg
import Foundation
import SwiftODTMLKit

guard CommandLine.arguments.count == 2 else {
    print("usage: photo FILE")
    exit(2)
}
let options = VisionObjectDetectorOptions()
options.detectorMode = .singleImage
options.shouldEnableMultipleObjects = true
options.shouldEnableClassification = true
let objectDetector = Vision.vision().objectDetector(options: options)

do {
    let image = try VisionImage(contentsOfFile: CommandLine.arguments[1])
    let objects = try await objectDetector.process(image)
    for object in objects {
        let category = object.labels.first.map { "\($0.text) \($0.confidence)" } ?? "no category"
        print("\(object.name ?? "object"): \(category), \(object.frame)")
    }
    print("\(objects.count) objects")
} catch {
    print(error.localizedDescription)
    exit(1)
}
