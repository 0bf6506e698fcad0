package enum TensorElement: String, Sendable {
    case float32, float16, uint8, int8, int32, int64

    package var byteCount: Int {
        switch self {
        case .uint8, .int8: 1
        case .float16: 2
        case .float32, .int32: 4
        case .int64: 8
        }
    }
}

/// An input or output of a network as the model file declares it.
package struct TensorDescription: Hashable, Sendable {
    package let name: String
    /// `nil` for a dynamic dimension.
    package let shape: [Int?]
    package let element: TensorElement

    package init(name: String, shape: [Int?], element: TensorElement) {
        self.name = name
        self.shape = shape
        self.element = element
    }

    /// Contains a question mark for each dynamic dimension.
    package var shapeText: String {
        "[" + shape.map { $0.map(String.init) ?? "?" }.joined(separator: ",") + "]"
    }
}

/// The inputs and outputs of a network. The network's family is recognised from this description.
package struct NetworkDescription: Sendable {
    package let inputs: [TensorDescription]
    package let outputs: [TensorDescription]

    package init(inputs: [TensorDescription], outputs: [TensorDescription]) {
        self.inputs = inputs
        self.outputs = outputs
    }
}

/// An output tensor after an inference. The inference request owns the memory, which is valid until the next inference
/// of the request.
package struct TensorView {
    package let shape: [Int]
    package let element: TensorElement
    package let bytes: UnsafeRawBufferPointer
    /// The quantisation of integer elements. `nil` if the elements are not quantised or if the quantisation is unknown.
    package var scale: QuantisationScale?

    package init(
        shape: [Int], element: TensorElement, bytes: UnsafeRawBufferPointer, scale: QuantisationScale? = nil
    ) {
        self.shape = shape
        self.element = element
        self.bytes = bytes
        self.scale = scale
    }
}

extension [Int] {
    /// The number of elements of a tensor with this shape. `nil` if an extent is negative or if the product overflows,
    /// because a shape from a file can have any values.
    package var product: Int? {
        if contains(0) { return 0 }
        var count = 1
        for extent in self {
            let (product, overflow) = count.multipliedReportingOverflow(by: extent)
            guard extent > 0, !overflow else { return nil }
            count = product
        }
        return count
    }
}

/// `step` is the difference between the values of two consecutive integers. `zero` is the integer that represents the
/// value 0.
package struct QuantisationScale: Hashable, Sendable {
    package let step: Float
    package let zero: Float

    /// Returns `nil` if `step` is not from 1e-30 to 1e30, or if `zero` is not from -128 to 255. A positive step ensures
    /// that a greater integer represents a greater value.
    package init?(step: Float, zero: Float) {
        guard (1e-30...1e30).contains(step), (-128...255).contains(zero) else { return nil }
        self.step = step
        self.zero = zero
    }

    @inline(__always)
    func number(_ whole: Float) -> Float { (whole - zero) * step }
}
