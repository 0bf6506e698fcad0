@testable import SwiftODT

private let names = (0..<90).map { "thing \($0)" }

/// Selects a decoder for any output shapes and family, and decodes any values in tensors below 64 KiB.
func fuzzNetwork(_ bytes: FuzzedBytes) -> CInt {
    var bytes = bytes
    let families = DetectionFamily.allCases.map { $0 as DetectionFamily? } + [nil]
    var manifest = ModelManifest(name: "fuzz")
    manifest.family = families[bytes.next(below: families.count)]?.rawValue
    let told = bytes.next(UInt8.self)
    if told & 1 == 1 { manifest.scoresAreLogits = true }
    if told & 2 == 2 {
        for name in ["boxes", "labels", "scores", "dets"] {
            manifest.quantisation[name] = QuantisationScale(
                step: Float(bitPattern: bytes.next(UInt32.self)), zero: Float(bytes.next(UInt8.self)))
        }
    }
    let elements: [TensorElement] = [.float32, .float32, .float32, .float16, .int32, .int64, .uint8, .int8]
    let outputs = (0..<1 + bytes.next(below: 4)).map { number in
        TensorDescription(
            name: ["boxes", "labels", "scores", "dets"][number % 4],
            shape: (0..<bytes.next(below: 5)).map { _ in bytes.next(UInt8.self) > 250 ? nil : bytes.extent() },
            element: elements[bytes.next(below: elements.count)])
    }
    let side = [32, 64, 8192][bytes.next(below: 3)]
    let description = NetworkDescription(
        inputs: [TensorDescription(name: "in", shape: [1, 3, side, side], element: .float32)], outputs: outputs)
    let labels = Labels(Array(names.prefix(1 + bytes.next(below: 90))))
    let inspection = try? NetworkInspection(description, manifest: nil, labels: labels, file: "fuzz.onnx")
    let reading = inspection.flatMap { try? ClassifierOutputDecoder($0, table: .standard) }
    let decoders = [
        try? DetectionFamily.decoder(for: description, manifest: manifest, labels: labels, file: "fuzz.onnx"),
        try? Salient.decoder(for: description, manifest: manifest),
    ].compactMap { $0 }
    if decoders.isEmpty, reading == nil { return 0 }

    let whole = Box(x: 0, y: 0, width: 640, height: 480)
    let placement = InputPlacement(
        scaleX: 0.1, scaleY: 0.1, offsetX: 0, offsetY: 0, region: whole, orientation: .identity)
    let shapes = outputs.map { $0.shape.map { $0 ?? bytes.extent() } }
    let sizes = zip(shapes, outputs).map { ($0 + [$1.element.byteCount]).product ?? .max }
    guard sizes.allSatisfy({ $0 < 1 << 16 }) else { return 0 }
    let pattern = bytes.rest.isEmpty ? [0] : bytes.all
    let memory = sizes.map { size in
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
        for start in stride(from: 0, to: size, by: pattern.count) {
            memory[start...].copyBytes(from: pattern.prefix(size - start))
        }
        return memory
    }
    defer { for memory in memory { memory.deallocate() } }
    let views = zip(zip(shapes, outputs), memory).map {
        TensorView(shape: $0.0, element: $0.1.element, bytes: UnsafeRawBufferPointer($1))
    }
    for decoder in decoders {
        let found = try? decoder.decode(views, placement: placement, options: DetectionOptions(scoreFloor: 0))
        for detection in found ?? [] where !(0...1).contains(detection.score) || !detection.box.isFinite {
            fatalError("invalid detection: \(detection)")
        }
    }
    _ = try? reading?.read(views)
    return 0
}
