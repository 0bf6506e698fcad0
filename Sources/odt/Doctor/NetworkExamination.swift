import SwiftODT

/// Measures the time of one inference with the default detector. Reports nothing if the runtime or the model is
/// missing, which other examinations report.
@Sendable func examineNetwork() -> [Finding] {
    guard (try? InferenceRuntime.find()) != nil, let file = try? ModelSearchPath.locate(.detector) else { return [] }
    do {
        let time = try shortestAnswer(of: DetectorConfiguration(.neural).makeDetector())
        let milliseconds = DecimalText.text(Double(time) / 1e6, decimals: 1)
        return [.fine("network", "\(FilePath.stem(of: file)): \(milliseconds) ms per inference")]
    } catch {
        return [.missing("network", "\(error)", remedy: "run 'odt models show \(file)' for details")]
    }
}

/// Returns the shortest time of three inferences on a grey frame. The first one warms up the network.
private func shortestAnswer(of detector: any Detector) throws -> Nanoseconds {
    let (width, height) = (640, 480)
    let pixels = UnsafeMutableRawPointer.allocate(byteCount: 4 * width * height, alignment: 64)
    defer { pixels.deallocate() }
    pixels.initializeMemory(as: UInt8.self, repeating: 128, count: 4 * width * height)
    let frame = Frame(
        format: .bgrx, width: width, height: height, planes: [Frame.Plane(base: pixels, stride: 4 * width)])
    return try (0..<3).map { _ in
        let begin = MonotonicClock.now
        _ = try detector.start(frame, options: DetectionOptions(isAwaited: true)).wait()
        return MonotonicClock.now - begin
    }.min() ?? 0
}
