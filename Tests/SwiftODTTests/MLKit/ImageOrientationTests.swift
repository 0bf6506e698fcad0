import Testing

@testable import SwiftODT
@testable import SwiftODTMLKit

/// Tests the eight image orientations: ML Kit's names, EXIF's numbers, and the orientation that the detector receives.
@Suite struct ImageOrientationTests {
    enum DeviceOrientation {
        case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown, unknown
    }
    enum CameraPosition { case front, back }

    /// The helper function from ML Kit's guide, unmodified.
    static func imageOrientation(
        deviceOrientation: DeviceOrientation, cameraPosition: CameraPosition
    ) -> VisionDetectorImageOrientation {
        switch deviceOrientation {
        case .portrait:
            return cameraPosition == .front ? .leftTop : .rightTop
        case .landscapeLeft:
            return cameraPosition == .front ? .bottomLeft : .topLeft
        case .portraitUpsideDown:
            return cameraPosition == .front ? .rightBottom : .leftBottom
        case .landscapeRight:
            return cameraPosition == .front ? .topRight : .bottomRight
        case .faceDown, .faceUp, .unknown:
            return .leftTop
        }
    }

    @Test(arguments: [
        (DeviceOrientation.portrait, CameraPosition.back, Orientation.rotate90),
        (.portrait, .front, .transpose),
        (.landscapeLeft, .back, .identity),
        (.landscapeLeft, .front, .flipVertical),
        (.portraitUpsideDown, .back, .rotate270),
        (.portraitUpsideDown, .front, .transverse),
        (.landscapeRight, .back, .rotate180),
        (.landscapeRight, .front, .flipHorizontal),
        (.faceUp, .front, .transpose),
    ])
    func deviceOrientationReachesDetector(
        _ device: DeviceOrientation, _ camera: CameraPosition, _ expected: Orientation
    ) throws {
        let metadata = VisionImageMetadata()
        metadata.orientation = Self.imageOrientation(deviceOrientation: device, cameraPosition: camera)
        let image = VisionImage(image: try Frame.plain)
        image.metadata = metadata
        let detector = ScriptedDetector(.chair)
        let options = VisionObjectDetectorOptions()
        options.detectorMode = .singleImage
        let objects = try VisionObjectDetector(options: options, detector: detector).results(in: image)
        #expect(detector.shown.map(\.orientation) == [expected])
        #expect(objects.first?.box == Detection.chair.box, "frames stay in the buffer's pixels")
    }

    @Test(arguments: VisionDetectorImageOrientation.allCases)
    func namesMatchEXIFNumbers(_ orientation: VisionDetectorImageOrientation) {
        #expect(Orientation(orientation) == Orientation(exif: orientation.rawValue))
        #expect(VisionDetectorImageOrientation(Orientation(orientation)) == orientation)
    }

    @Test func pictureOrientationIsDefault() throws {
        let picture = try TestPicture(.gray8, width: 8, height: 8).withFrame(orientation: .rotate180) {
            try $0.owned()
        }
        let image = VisionImage(image: picture)
        #expect(image.metadata == nil && image.orientation == .bottomRight)
        image.orientation = .leftMirrored
        #expect(image.metadata?.orientation == .leftTop)
        image.metadata = nil
        #expect(image.orientation == .bottomRight)
    }
}
