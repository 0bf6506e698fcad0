/// The kinds of detection networks that are understood. The raw value is the name that a manifest uses.
public enum DetectionFamily: String, CaseIterable, Sendable {
    /// SSD whose post-processing is part of the network.
    case ssdPostprocessed = "ssd-postprocessed"
    /// SSD with raw heads: box differences and class scores for a fixed set of anchors.
    case ssd
    /// EfficientDet and EfficientDet-Lite.
    case efficientDet = "efficientdet"
    /// YOLOX: a grid of cells with objectness.
    case yolox
    /// YOLOv5 and v7: boxes decoded inside the network, with objectness.
    case yolov5
    /// YOLOv8, v9, v11, v12: boxes decoded inside the network, no objectness.
    case yolov8
    /// YOLOv10 and end-to-end exports: suppressed inside the network.
    case yoloEndToEnd = "yolo-end-to-end"
    /// NanoDet and NanoDet-Plus: each side of a box is a distribution.
    case nanodet
    /// FastestDet and its like: one anchor-free grid.
    case fastestDet = "fastestdet"
    /// DETR, RT-DETR and their like: a set of queries.
    case detr
}

extension DetectionFamily {
    /// Recognises the family of a network and makes the decoder for it.
    ///
    /// - Parameter file: the model's path, for messages.
    /// - Throws: ``DetectorError`` with `.unsupported` where no family fits, or what fits needs to be told more.
    public static func decoder(
        for network: NetworkDescription, manifest: ModelManifest?, labels: Labels?, file: String
    ) throws -> any DetectionDecoder {
        throw DetectorError(.unsupported, "\(file) is of no family that is understood")
    }
}
