import CODTGStreamer
import SwiftODT

/// The tensors that an inference element attached to a buffer: `GstTensorMeta` (GStreamer 1.26) and
/// `GstAnalyticsTensorMtd` (1.28).
struct TensorMetadata {
    private let tensors: [UnsafePointer<Tensor>]

    /// - Returns: `nil` if the buffer has no tensors.
    init?(of buffer: UnsafeMutablePointer<GstBuffer>) {
        var (state, tensors): (gpointer?, [UnsafePointer<Tensor>]) = (nil, [])
        // The metadata type is looked up by name, because it exists only if an inference element has loaded the library
        // that registers it. GStreamer 1.24 has a type of the same name with another layout.
        let type = Self.hasKnownLayout ? g_type_from_name("GstTensorMetaAPI") : 0
        while type != 0, let meta = gst_buffer_iterate_meta_filtered(buffer, &state, type) {
            let list = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: List.self).pointee
            for index in 0..<(list.tensors == nil ? 0 : list.count) {
                if let tensor = list.tensors?[index] { tensors.append(tensor) }
            }
        }
        if let library = AnalyticsLibrary.shared, let meta = library.meta(buffer) {
            tensors += library.tensors(of: meta).map { UnsafePointer($0.assumingMemoryBound(to: Tensor.self)) }
        }
        guard !tensors.isEmpty else { return nil }
        self.tensors = tensors
    }

    private static let hasKnownLayout: Bool = {
        var (major, minor, micro, nano): (guint, guint, guint, guint) = (0, 0, 0, 0)
        gst_version(&major, &minor, &micro, &nano)
        return (major, minor) >= (1, 26)
    }()

    /// Maps the tensors into memory and calls `body` with their descriptions and contents, which are valid only during
    /// the call.
    ///
    /// - Throws: ``ODTError`` if a tensor cannot be read.
    func withViews<Result>(_ body: ([TensorDescription], [TensorView]) throws -> Result) throws -> Result {
        var maps: [(data: UnsafeMutablePointer<GstBuffer>, info: GstMapInfo)] = []
        defer { for index in maps.indices { gst_buffer_unmap(maps[index].data, &maps[index].info) } }
        var (descriptions, views): ([TensorDescription], [TensorView]) = ([], [])
        for tensor in tensors {
            let (name, shape) = (tensor.pointee.name, Self.shape(of: tensor))
            guard let shape, let count = shape.product, let data = tensor.pointee.data else {
                throw ODTError(.failed, "the tensor '\(name)' has no data or an impossible shape")
            }
            guard let element = TensorElement(gstreamer: tensor.pointee.type) else {
                throw ODTError(
                    .unsupported,
                    "the tensor '\(name)' has elements of type \(tensor.pointee.type) of GstTensorDataType; only 32-bit and "
                        + "16-bit floats, and integers of 8, 32 and 64 bits are supported")
            }
            var info = GstMapInfo()
            guard gst_buffer_map(data, &info, GST_MAP_READ) != 0 else {
                throw ODTError(
                    .failed,
                    "the memory of the tensor '\(name)' cannot be mapped; use an inference element "
                        + "that leaves its outputs in system memory")
            }
            maps.append((data, info))
            guard Int(info.size) / element.byteCount >= count else {
                throw ODTError(
                    .failed, "the tensor '\(name)' has \(info.size) bytes, too few for its shape \(shape)")
            }
            descriptions.append(TensorDescription(name: name, shape: shape.map { $0 }, element: element))
            views.append(
                TensorView(
                    shape: shape, element: element,
                    bytes: UnsafeRawBufferPointer(start: info.data, count: count * element.byteCount)))
        }
        return try body(descriptions, views)
    }

    /// The C struct `GstTensor` up to its array of dimensions. `dims_order` is not read: inference elements copy the
    /// network's output without reordering, even if they set another order.
    struct Tensor {
        var id: GQuark = 0
        var layout: UInt32 = 0
        var type: UInt32 = 0
        var data: UnsafeMutablePointer<GstBuffer>?
        var dimensionOrder: UInt32 = 0
        var dimensionCount = 0

        /// The tensor's name in the network. Names of GStreamer's tensor registry are translated to the names that the
        /// decoders of the neural detector expect.
        fileprivate var name: String {
            let text = id == 0 ? "" : g_quark_to_string(id).map { String(cString: $0) } ?? ""
            for (part, name) in Self.registered where text.hasSuffix(part) { return name }
            return text
        }

        private static let registered = [
            ("-out-boxes", "detection_boxes"), ("-out-classes", "detection_classes"),
            ("-out-scores", "detection_scores"), ("-out-count", "num_detections"),
        ]
    }

    /// A copy of the C struct `GstTensorMeta`.
    struct List {
        var meta = GstMeta()
        var count = 0
        var tensors: UnsafeMutablePointer<UnsafePointer<Tensor>?>?
    }

    private static func shape(of tensor: UnsafePointer<Tensor>) -> [Int]? {
        guard (0...16).contains(tensor.pointee.dimensionCount) else { return nil }
        let dimensions = (UnsafeRawPointer(tensor) + MemoryLayout<Tensor>.stride).assumingMemoryBound(to: UInt.self)
        let shape = (0..<tensor.pointee.dimensionCount).map { Int(clamping: dimensions[$0]) }
        return shape.allSatisfy { $0 > 0 && $0 < 1 << 31 } ? shape : nil
    }
}

extension TensorElement {
    /// Returns `nil` for unsupported types.
    init?(gstreamer type: UInt32) {
        switch type {
        case 1: self = .int8
        case 3: self = .int32
        case 4: self = .int64
        case 6: self = .uint8
        case 10: self = .float16
        case 11: self = .float32
        default: return nil
        }
    }
}
