import Foundation
@_exported import SwiftODT

extension VisionObject {
    /// The object's bounding box with the type that ML Kit uses. Importing this module shadows the `Box` property of
    /// the same name, which stays available as `box`.
    ///
    ///     import SwiftODTFoundation
    ///
    ///     for object in try objectDetector.results(in: image) { print(object.frame.midX, object.frame.size) }
    public var frame: CGRect {
        CGRect(x: box.x, y: box.y, width: box.width, height: box.height)
    }
}
