import Glibc
import SwiftODT

/// Runs `body` for a number of frames and returns the median time of a call in microseconds.
func medianMicroseconds(frames: Int, warmUp: Int, _ body: (Int) -> Void) -> Double {
    let clock = ContinuousClock()
    var times: [Double] = []
    for frame in 0..<frames {
        let spent = clock.measure { body(frame) }
        if frame >= warmUp {
            times.append(Double(spent.components.seconds) * 1e6 + Double(spent.components.attoseconds) / 1e12)
        }
    }
    return times.sorted()[times.count / 2]
}

/// Returns the microseconds per frame for objects that move to and fro in a frame of 1920x1080, each detected in 19 of
/// 20 frames, with a jitter of a pixel.
///
/// With `luma`, which is constant, appearance is compared, too.
func trackingCost(objects: Int, luma: LumaPlane? = nil) -> Double {
    var random = SystemRandomNumberGenerator()
    let tracker = Tracker()
    let places = (0..<objects).map { _ in
        (x: Double.random(in: 0..<1800), y: Double.random(in: 0..<950), pace: Double.random(in: -60..<60))
    }
    let side = min(90, 3000 / Double(objects).squareRoot())
    let answers = (0..<300).map { frame in
        places.compactMap { place -> Detection? in
            if Int.random(in: 0..<20, using: &random) == 0 { return nil }
            let x = place.x + place.pace * sin(Double(frame) / 90) + Double.random(in: -1...1)
            let y = place.y + Double.random(in: -1...1)
            return Detection(
                box: Box(x: x, y: y, width: side / 2, height: side), score: Double.random(in: 0.3..<1))
        }
    }
    return medianMicroseconds(frames: answers.count, warmUp: 50) { frame in
        let time = Nanoseconds(frame) * 33_333_333
        tracker.advance(to: time, width: 1920, height: 1080, luma: luma)
        tracker.update(answers[frame], seenAt: time)
        _ = tracker.tracks
        _ = tracker.takeEvents()
    }
}

/// Returns the microseconds per frame for a panning textured picture with moving objects and detections in every fifth
/// frame.
func carryingCost(objects: Int) -> Double {
    let (width, height) = (1280, 720)
    let planes = (0..<20).map { frame in texturedPlane(width: width, height: height, shift: 3 * frame) }
    let boxes = (0..<objects).map { number -> Box in
        let (column, row) = (number % 10, number / 10)
        return Box(x: Double(60 + column * 115), y: Double(60 + row * 210), width: 80, height: 180)
    }
    let tracker = Tracker()
    var spent: [Double] = []
    for frame in 0..<300 {
        let time = Nanoseconds(frame) * 33_333_333
        // The pan reverses its direction, so that no step counts as a scene cut.
        let phase = frame % 38 < 20 ? frame % 38 : 38 - frame % 38
        let took = medianMicroseconds(frames: 1, warmUp: 0) { _ in
            tracker.advance(to: time, width: width, height: height, luma: planes[phase])
            if frame % 5 == 0 {
                tracker.update(
                    boxes.map { Detection(box: $0.offset(x: -3 * Double(phase), y: 0), score: 0.9) }, seenAt: time)
            }
            _ = tracker.tracks
        }
        if frame % 5 != 0, frame > 50 { spent.append(took) }
    }
    return spent.sorted()[spent.count / 2]
}

func texturedPlane(width: Int, height: Int, shift: Int) -> LumaPlane {
    let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: width * height)
    defer { pixels.deallocate() }
    for row in 0..<height {
        for column in 0..<width {
            let (x, y) = (Double(column + shift), Double(row))
            let coarse = 40 * sin(x * 0.05) * cos(y * 0.043)
            let fine = 30 * sin(x * 0.13 + y * 0.11) + 20 * cos(y * 0.2)
            let value = 128 + coarse + fine
            pixels[row * width + column] = UInt8(min(max(value, 0), 255))
        }
    }
    let plane = Frame.Plane(base: UnsafeMutableRawPointer(pixels), stride: width)
    return LumaPlane.reduce(Frame(format: .gray8, width: width, height: height, planes: [plane]))
}
