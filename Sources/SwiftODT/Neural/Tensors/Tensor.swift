/// The element type of a tensor.
package enum TensorElement: Sendable {
    case float32, float16, uint8, int8, int32, int64

    /// Bytes per element.
    var byteCount: Int {
        switch self {
        case .uint8, .int8: 1
        case .float16: 2
        case .float32, .int32: 4
        case .int64: 8
        }
    }
}

/// An input or output of a network as declared by the model file.
package struct TensorDescription: Sendable {
    package let name: String
    /// One entry per dimension; `nil` for a dynamic one.
    package let shape: [Int?]
    package let element: TensorElement

    package init(name: String, shape: [Int?], element: TensorElement) {
        self.name = name
        self.shape = shape
        self.element = element
    }

    /// The shape as text, with a question mark for each dynamic dimension.
    package var shapeText: String {
        "[" + shape.map { $0.map(String.init) ?? "?" }.joined(separator: ",") + "]"
    }
}

/// The inputs and outputs of a network. Network families are recognised by this description.
package struct NetworkDescription: Sendable {
    package let inputs: [TensorDescription]
    package let outputs: [TensorDescription]

    package init(inputs: [TensorDescription], outputs: [TensorDescription]) {
        self.inputs = inputs
        self.outputs = outputs
    }
}

/// An output tensor after an inference. The infer request owns the memory, which is valid until its next run.
package struct TensorView {
    package let shape: [Int]
    package let element: TensorElement
    package let bytes: UnsafeRawBufferPointer
    /// The quantisation scale of integer elements, if known.
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
    /// The number of elements of a tensor with this shape, or `nil` if an extent is negative or the product overflows.
    /// The shape comes from a file and is not trusted.
    var product: Int? {
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

/// The scale of a quantised tensor: the value of one step, and the integer that represents 0.
package struct QuantisationScale: Hashable, Sendable {
    package let step: Float
    package let zero: Float

    /// - Returns: `nil` if the parameters are out of range, so that distinct bytes might not map to distinct values in
    ///   ascending order.
    package init?(step: Float, zero: Float) {
        guard (1e-30...1e30).contains(step), (-128...255).contains(zero) else { return nil }
        self.step = step
        self.zero = zero
    }

    /// Returns the value that an integer represents.
    @inline(__always)
    func number(_ whole: Float) -> Float { (whole - zero) * step }
}
