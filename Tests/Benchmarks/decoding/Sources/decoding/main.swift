import Dispatch
import SwiftODT

// Measures decoding for each family: outputs of the usual shapes with the number of strong boxes of a street scene,
// then worst cases of suppression. Prints the median of 200 runs on one core.

/// A pseudorandom generator with a fixed seed.
struct Numbers {
    private var state: UInt64 = 1

    mutating func next() -> Float {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Float(state >> 40) / Float(1 << 24)
    }
}

/// - Parameter scale: the quantisation of outputs with bytes, by output index.
func measure(
    _ name: String, input: [Int?], outputs: [[Int]], bytes scale: [Int: QuantisationScale] = [:],
    _ number: (_ output: Int, _ place: Int, _ random: Float) -> Float
) throws {
    var numbers = Numbers()
    let tensors = outputs.enumerated().map { output, shape in
        let count = shape.reduce(1, *)
        if let scale = scale[output] {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
            for place in 0..<count {
                let whole = number(output, place, numbers.next()) / scale.step + scale.zero
                memory[place] = UInt8(min(max(whole.rounded(), 0), 255))
            }
            return TensorView(shape: shape, element: .uint8, bytes: UnsafeRawBufferPointer(memory))
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 * count, alignment: 64)
        for place in 0..<count {
            memory.storeBytes(of: number(output, place, numbers.next()), toByteOffset: 4 * place, as: Float.self)
        }
        return TensorView(shape: shape, element: .float32, bytes: UnsafeRawBufferPointer(memory))
    }
    defer { for tensor in tensors { tensor.bytes.deallocate() } }
    let network = NetworkDescription(
        inputs: [TensorDescription(name: "picture", shape: input, element: .float32)],
        outputs: outputs.enumerated().map { output, shape in
            TensorDescription(name: "\(output)", shape: shape, element: scale[output] == nil ? .float32 : .uint8)
        })
    var manifest = ModelManifest(name: name)
    for (output, scale) in scale { manifest.quantisation["\(output)"] = scale }
    let (family, decoder) = try DetectionFamily.recognise(network, manifest: manifest, labels: nil, file: name)
    let picture = Box(x: 0, y: 0, width: Double(decoder.input.width), height: Double(decoder.input.height))
    let placement = InputPlacement(
        scaleX: 1, scaleY: 1, offsetX: 0, offsetY: 0, region: picture, orientation: .identity)
    var found = 0
    let times = try (0..<200).map { _ in
        let begin = DispatchTime.now().uptimeNanoseconds
        found = try decoder.decode(tensors, placement: placement, options: DetectionOptions()).count
        return DispatchTime.now().uptimeNanoseconds - begin
    }.sorted()
    print("\(family.rawValue): \(name): \(found) found, \(times[100] / 1000) µs")
}

try measure("300 x 300", input: [1, 300, 300, 3], outputs: [[1, 1917, 4], [1, 1917, 91]]) { output, place, random in
    output == 0 ? random - 0.5 : place % 9973 == 5 ? 1 : -6 - random
}
try measure("320 x 320", input: [1, 320, 320, 3], outputs: [[1, 19206, 4], [1, 19206, 90]]) { output, place, random in
    output == 0 ? random - 0.5 : place % 49973 == 5 ? 0.7 : random * 0.05
}
let pyramid = [40, 20, 10, 5, 3].map { [1, $0, $0] }
func pyramidLogit(_ output: Int, _ place: Int, _ random: Float) -> Float {
    output >= 5 ? random - 0.5 : place % 49973 == 5 ? 0.8 : -6 - random
}
let levels = pyramid.map { $0 + [720] } + pyramid.map { $0 + [36] }
try measure("320 x 320, in levels", input: [1, 3, 320, 320], outputs: levels, pyramidLogit)
if let scale = QuantisationScale(step: 0.0425, zero: 165) {
    let bytes = Dictionary(uniqueKeysWithValues: (0..<5).map { ($0, scale) })
    try measure("320 x 320, in levels of bytes", input: [1, 3, 320, 320], outputs: levels, bytes: bytes, pyramidLogit)
}
try measure("416 x 416", input: [1, 3, 416, 416], outputs: [[1, 3549, 85]]) { _, place, random in
    place % 85 != 4 ? random : place / 85 % 97 == 9 ? 0.9 : random * 0.05
}
try measure("640 x 640", input: [1, 3, 640, 640], outputs: [[1, 84, 8400]]) { _, place, random in
    place < 4 * 8400 ? random * 300 : place % 49999 == 5 ? 0.7 : random * 0.05
}
try measure("352 x 352", input: [1, 3, 352, 352], outputs: [[1, 85, 22, 22]]) { _, place, random in
    place % 999 == 3 ? 0.9 : random * 0.05
}
try measure("25200 candidates, all somewhere else", input: [1, 3, 640, 640], outputs: [[1, 25200, 85]]) {
    _, place, random in
    switch place % 85 {
    case 0, 1: random * 600
    case 2, 3: 10 + random * 60
    default: 0.5 + random / 2
    }
}
try measure("25200 candidates, all the same object", input: [1, 3, 640, 640], outputs: [[1, 25200, 85]]) {
    _, place, random in
    switch place % 85 {
    case 0, 1: 300 + random * 4
    case 2, 3: 100 + random * 5
    default: 0.5 + random / 2
    }
}
