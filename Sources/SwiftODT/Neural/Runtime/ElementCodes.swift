import COpenVINO

/// The loaded runtime's codes for element types.
///
/// The codes have changed between releases, because types were removed and inserted. They are therefore derived from
/// the size of tensors with eight elements, not from a header.
struct ElementCodes: Sendable {
    let float32: UInt32
    let uint8: UInt32
    private let types: [UInt32: TensorElement]

    init(_ functions: swiftodt_openvino) {
        // ... boolean, bf16, f16, f32, f64, i4, i8, i16, i32, i64, u1, narrow ones, u8 ...
        let float32: UInt32 = Self.bytes(ofEight: 4, functions) == 32 ? 4 : 5
        let bit = float32 + 7
        let uint8 = (bit + 1...bit + 8).first { Self.bytes(ofEight: $0, functions) == 8 } ?? bit + 5
        self.float32 = float32
        self.uint8 = uint8
        types = [
            float32 - 1: .float16, float32: .float32, float32 + 3: .int8, float32 + 5: .int32, float32 + 6: .int64,
            uint8: .uint8,
        ]
    }

    /// The element type of a code; `nil` for types that are not passed on to decoders.
    subscript(code: UInt32) -> TensorElement? { types[code] }

    private static func bytes(ofEight code: UInt32, _ functions: swiftodt_openvino) -> Int {
        var shape = ov_shape()
        var eight: Int64 = 8
        var tensor: OpaquePointer?
        guard functions.ov_shape_create(1, &eight, &shape) == 0 else { return 0 }
        defer { _ = functions.ov_shape_free(&shape) }
        guard functions.ov_tensor_create(code, shape, &tensor) == 0, let tensor else { return 0 }
        defer { functions.ov_tensor_free(tensor) }
        var bytes = 0
        return functions.ov_tensor_get_byte_size(tensor, &bytes) == 0 ? bytes : 0
    }
}
