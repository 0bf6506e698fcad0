@testable import SwiftODT

/// A network output with values that a test provides.
final class TestTensor {
    let shape: [Int]
    let element: TensorElement
    let name: String
    private let memory: UnsafeMutableRawBufferPointer

    init(_ shape: [Int], _ numbers: [Float]) {
        self.shape = shape
        element = .float32
        name = ""
        size = numbers.count * 4
        memory = .allocate(byteCount: max(size, 1), alignment: 64)
        memory.copyBytes(from: numbers.flatMap { withUnsafeBytes(of: $0) { Array($0) } })
    }

    /// Creates a quantised output.
    init(_ shape: [Int], bytes: [UInt8], _ element: TensorElement, named name: String) {
        self.shape = shape
        self.element = element
        self.name = name
        size = bytes.count
        memory = .allocate(byteCount: max(size, 1), alignment: 64)
        memory.copyBytes(from: bytes)
    }

    /// Creates an output of zeros, which `fill` modifies.
    convenience init(_ shape: [Int], fill: (inout [Float]) -> Void) {
        var numbers = [Float](repeating: 0, count: shape.reduce(1, *))
        fill(&numbers)
        self.init(shape, numbers)
    }

    private let size: Int

    deinit { memory.deallocate() }

    var view: TensorView {
        TensorView(shape: shape, element: element, bytes: UnsafeRawBufferPointer(rebasing: memory[0..<size]))
    }

    var description: TensorDescription { TensorDescription(name: name, shape: shape, element: element) }
}

extension NetworkDescription {
    /// Creates the description of a network with one input and the outputs of a test.
    init(input: [Int?], _ outputs: [TestTensor], element: TensorElement = .float32) {
        self.init(
            inputs: [TensorDescription(name: "image", shape: input, element: element)],
            outputs: outputs.map(\.description))
    }
}

extension InputPlacement {
    /// Returns the placement of a picture with the size of the network's input.
    static func whole(_ width: Double, _ height: Double) -> InputPlacement {
        InputPlacement(
            scaleX: 1, scaleY: 1, offsetX: 0, offsetY: 0, region: Box(x: 0, y: 0, width: width, height: height),
            orientation: .identity)
    }
}

extension DetectionDecoder {
    func decode(_ tensors: [TestTensor], options: DetectionOptions = DetectionOptions()) throws -> [Detection] {
        try decode(
            tensors.map(\.view), placement: .whole(Double(input.width), Double(input.height)), options: options)
    }
}

/// Returns labels for `count` classes.
func names(_ count: Int) -> Labels { Labels((0..<count).map { "thing \($0)" }) }
