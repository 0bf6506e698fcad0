/// The kinds of detection networks that are understood. The raw value is the name that a manifest uses.
public enum DetectionFamily: String, CaseIterable, Sendable {
    /// SSD whose post-processing is part of the network.
    case ssdPostprocessed = "ssd-postprocessed"
    /// FastestDet and its like: one anchor-free grid.
    case fastestDet = "fastestdet"
    /// EfficientDet and EfficientDet-Lite.
    case efficientDet = "efficientdet"
    /// SSD with raw heads: box differences and class scores for a fixed set of anchors.
    case ssd
    /// DETR, RT-DETR and their like: a set of queries.
    case detr
    /// YOLOX: a grid of cells with objectness.
    case yolox
    /// NanoDet and NanoDet-Plus: each side of a box is a distribution.
    case nanodet
    /// YOLOv5 and v7: boxes decoded inside the network, with objectness.
    case yolov5
    /// YOLOv8, v9, v11, v12: boxes decoded inside the network, no objectness.
    case yolov8
    /// YOLOv10 and end-to-end exports: suppressed inside the network.
    case yoloEndToEnd = "yolo-end-to-end"
}

extension DetectionFamily {
    /// Recognises the family of a network and makes the decoder for it.
    ///
    /// - Parameter file: the model's path, for messages.
    /// - Throws: ``ODTError`` with `.unsupported` where no family fits, or what fits needs to be told more.
    public static func decoder(
        for network: NetworkDescription, manifest: ModelManifest?, labels: Labels?, file: String
    ) throws -> any DetectionDecoder {
        try recognise(network, manifest: manifest, labels: labels, file: file).decoder
    }

    /// As ``decoder(for:manifest:labels:file:)``, with the family's name.
    public static func recognise(
        _ network: NetworkDescription, manifest: ModelManifest?, labels: Labels?, file: String
    ) throws -> (family: DetectionFamily, decoder: any DetectionDecoder) {
        var inspection = try NetworkInspection(network, manifest: manifest, labels: labels, file: file)
        if FileBytes.size(file) != nil, let model = try FlatBuffer.read(tflite: file) {
            inspection.postProcess = TFLitePostProcess(model: model)
            inspection.quantisation.merge([String: QuantisationScale](tflite: model) ?? [:]) { given, _ in given }
        }
        let found = try recognise(inspection)
        Diagnostics.report(
            .info,
            "\(file) is of the family \(found.family.rawValue)"
                + (inspection.namedFamily == nil ? "" : ", as its manifest says") + ": \(inspection.outputsText), "
                + (labels.map { "\($0.all.count) labels" } ?? "no labels"))
        let quantised = QuantisedDecoder(found.decoder, outputs: network.outputs, scales: inspection.quantisation)
        return (found.family, quantised ?? found.decoder)
    }

    private static func recognise(
        _ inspection: NetworkInspection
    ) throws -> (family: DetectionFamily, decoder: any DetectionDecoder) {
        let file = inspection.file
        if let family = inspection.namedFamily {
            if let decoder = try family.decoder(inspection) { return (family, decoder) }
            throw ODTError(
                .unsupported,
                "the manifest of \(file) says that it is of the family \(family.rawValue), but "
                    + "it has \(inspection.outputsText), which that family has not")
        }
        for family in allCases {
            if let decoder = try family.decoder(inspection) { return (family, decoder) }
        }
        throw ODTError(.unsupported, "\(file) has \(inspection.outputsText): \(inspection.guess)")
    }

    /// The family's decoder, where the network may be one of it.
    private func decoder(_ inspection: NetworkInspection) throws -> (any DetectionDecoder)? {
        switch self {
        case .ssdPostprocessed: try SSDPostprocessedDecoder(inspection)
        case .fastestDet: try FastestDetDecoder(inspection)
        case .efficientDet: try AnchorDecoder(efficientDet: inspection)
        case .ssd: try AnchorDecoder(ssd: inspection)
        case .detr: try DETRDecoder(inspection)
        case .yolox: try YOLOXDecoder(inspection)
        case .nanodet: try NanoDetDecoder(inspection)
        case .yolov5: try YOLOv5Decoder(inspection)
        case .yolov8: try YOLOv8Decoder(inspection)
        case .yoloEndToEnd: try YOLOEndToEndDecoder(inspection)
        }
    }
}

extension NetworkInspection {
    fileprivate var outputsText: String {
        let shapes = outputs.prefix(12).map(\.shapeText)
        return (outputs.count == 1 ? "an output " : "outputs ") + shapes.joined(separator: ", ")
    }

    /// What a network of no known family may be, for people who took the wrong file.
    fileprivate var guess: String {
        if outputs.allSatisfy({
            $0.shape.count == 4 && $0.shape[1] == 1 && ($0.shape[2] ?? 99) > 32 && ($0.shape[3] ?? 99) > 32
        }) {
            return "it looks like a saliency network, which detector=salient uses"
        }
        if outputs.count == 1, outputs[0].shape.count == 2 {
            return "it looks like a classifier, which belongs into classifier-file"
        }
        return "it is of no detection family that is understood ("
            + DetectionFamily.allCases.map(\.rawValue).joined(separator: ", ")
            + "); a manifest \(ModelManifest.path(besideModel: file)) may name one of them"
    }
}
