import Foundation
@_exported import SwiftODT

extension VisionObject {
    /// Where it is, with the type that ML Kit's guide has: where this module is imported, it takes the place of the `Box` of
    /// this name, which can be had as `box`.
    ///
    ///     import SwiftODTFoundation
    ///
    ///     for object in try objectDetector.results(in: image) { print(object.frame.midX, object.frame.size) }
    public var frame: CGRect {
        CGRect(x: box.x, y: box.y, width: box.width, height: box.height)
    }
}
