/// What one number of a tensor is.
public enum TensorElement: Sendable {
    case float32, float16, uint8, int8, int32, int64

    /// Bytes that one number takes up.
    var byteCount: Int {
        switch self {
        case .uint8, .int8: 1
        case .float16: 2
        case .float32, .int32: 4
        case .int64: 8
        }
    }
}

/// An input or output of a network as its file declares it.
public struct TensorDescription: Sendable {
    public let name: String
    /// One entry a dimension; `nil` where the file leaves it open.
    public let shape: [Int?]
    public let element: TensorElement

    public init(name: String, shape: [Int?], element: TensorElement) {
        self.name = name
        self.shape = shape
        self.element = element
    }

    /// The shape as people write it, with a question mark for what is open.
    public var shapeText: String {
        "[" + shape.map { $0.map(String.init) ?? "?" }.joined(separator: ",") + "]"
    }
}

/// All that can be seen of a network from outside: what a family is recognised by.
public struct NetworkDescription: Sendable {
    public let inputs: [TensorDescription]
    public let outputs: [TensorDescription]

    public init(inputs: [TensorDescription], outputs: [TensorDescription]) {
        self.inputs = inputs
        self.outputs = outputs
    }
}

/// An output of a network after an inference. The memory belongs to the request and is valid until it runs again.
public struct TensorView {
    public let shape: [Int]
    public let element: TensorElement
    public let bytes: UnsafeRawBufferPointer
    /// What whole numbers stand for, where that is known.
    public var scale: QuantisationScale?

    public init(
        shape: [Int], element: TensorElement, bytes: UnsafeRawBufferPointer, scale: QuantisationScale? = nil
    ) {
        self.shape = shape
        self.element = element
        self.bytes = bytes
        self.scale = scale
    }
}

extension [Int] {
    /// How many numbers a tensor of this shape has; `nil` where that is no number, as what a file declares need not be.
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
