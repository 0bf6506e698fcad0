import SwiftODT

/// Whether the default network answers, and how soon. Nothing is said where the runtime or the model is missing: that was said.
@Sendable func examineNetwork() -> [Finding] {
    guard (try? InferenceRuntime.find()) != nil, let file = try? ModelSearchPath.locate(.detector) else { return [] }
    do {
        let time = try shortestAnswer(of: DetectorConfiguration(.neural).makeDetector())
        let milliseconds = DecimalText.text(Double(time) / 1e6, decimals: 1)
        return [.fine("network", "\(FilePath.stem(of: file)) answers within \(milliseconds) ms")]
    } catch {
        return [.missing("network", "\(error)", remedy: "'odt models show \(file)' tells more")]
    }
}

/// Of three answers about a grey picture: the first one warms up.
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
