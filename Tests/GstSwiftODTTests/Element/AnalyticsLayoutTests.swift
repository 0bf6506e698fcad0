import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// Compares the types that restate GStreamer's structures with `Tests/pipelines/layouts.c`, which is compiled with GStreamer's headers
/// where they are installed.
@Suite struct AnalyticsLayoutTests {
    @Test func analyticsAndTensorTypesMatchHeaderLayouts() throws {
        typealias Entry = AnalyticsLibrary.Entry
        typealias Room = AnalyticsLibrary.Room
        typealias Relation = AnalyticsLibrary.Relation
        typealias Tensor = TensorMetadata.Tensor
        typealias List = TensorMetadata.List
        func offset<Type>(_ path: PartialKeyPath<Type>) -> Int { MemoryLayout<Type>.offset(of: path) ?? -1 }
        let restated = [
            "OFFSET (GstAnalyticsMtd, id, \(offset(\Entry.id)))",
            "OFFSET (GstAnalyticsMtd, meta, \(offset(\Entry.meta)))",
            "SIZE (GstAnalyticsMtd, \(MemoryLayout<Entry>.size))",
            "OFFSET (GstAnalyticsRelationMetaInitParams, initial_relation_order, \(offset(\Room.entries)))",
            "OFFSET (GstAnalyticsRelationMetaInitParams, initial_buf_size, \(offset(\Room.bytes)))",
            "SIZE (GstAnalyticsRelationMetaInitParams, \(MemoryLayout<Room>.size))",
            "SIZE (GstAnalyticsMtdType, \(MemoryLayout<AnalyticsLibrary.Kind>.size))",
            "SIZE (GstAnalyticsRelTypes, \(MemoryLayout<Relation>.size))",
            "OFFSET (GstTensor, id, \(offset(\Tensor.id)))", "OFFSET (GstTensor, layout, \(offset(\Tensor.layout)))",
            "OFFSET (GstTensor, data_type, \(offset(\Tensor.type)))",
            "OFFSET (GstTensor, data, \(offset(\Tensor.data)))",
            "OFFSET (GstTensor, dims_order, \(offset(\Tensor.dimensionOrder)))",
            "OFFSET (GstTensor, num_dims, \(offset(\Tensor.dimensionCount)))",
            "OFFSET (GstTensor, dims, \(MemoryLayout<Tensor>.stride))",
            "OFFSET (GstTensorMeta, num_tensors, \(offset(\List.count)))",
            "OFFSET (GstTensorMeta, tensors, \(offset(\List.tensors)))",
            "VALUE (GST_ANALYTICS_REL_TYPE_IS_PART_OF, \(Relation.isPartOf.rawValue))",
            "VALUE (GST_ANALYTICS_REL_TYPE_CONTAIN, \(Relation.contain.rawValue))",
            "VALUE (GST_ANALYTICS_REL_TYPE_RELATE_TO, \(Relation.relateTo.rawValue))",
        ]
        let types: [(String, TensorElement)] = [
            ("INT8", .int8), ("INT32", .int32), ("INT64", .int64), ("UINT8", .uint8), ("FLOAT16", .float16),
            ("FLOAT32", .float32),
        ]
        let values = types.map { name, element in
            let value = (0..<32).first { TensorElement(gstreamer: $0) == element }
            return "VALUE (GST_TENSOR_DATA_TYPE_\(name), \(value ?? 99))"
        }
        let path = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/pipelines/layouts.c"
        let text = String(decoding: try FileBytes.read(path, limit: 1 << 20), as: UTF8.self)
        let stated = text.split(separator: "\n").filter { !$0.hasPrefix("#") && $0.hasSuffix(");") }
        #expect(stated.map { String($0.dropLast()) } == restated + values)
    }
}
