/// The supported families of detection networks. The networks of a family have the same output format. The raw value is
/// the name of the family in a manifest.
package enum DetectionFamily: String, CaseIterable, Sendable {
    /// DEIM, D-FINE and RT-DETR with built-in post-processing and an input for the size of the picture.
    case detrPostprocessed = "detr-postprocessed"
    /// SSD and similar networks with built-in post-processing.
    case ssdPostprocessed = "ssd-postprocessed"
    /// FastestDet and similar networks: one box per cell of a single grid.
    case fastestDet = "fastestdet"
    /// EfficientDet and EfficientDet-Lite.
    case efficientDet = "efficientdet"
    /// SSD without built-in post-processing: box offsets and class scores for a fixed set of anchors.
    case ssd
    /// DETR, RT-DETR and similar networks: a box and class scores for each of a fixed number of queries.
    case detr
    /// YOLOX: a box, an objectness and class scores for each cell of a grid.
    case yolox
    /// NanoDet and NanoDet-Plus: a discrete distribution for each side of a box.
    case nanodet
    /// YOLOv5, v6 and v7: boxes in input pixels, with objectness.
    case yolov5
    /// YOLOv8, v9, v11 and v12: boxes in input pixels, without objectness.
    case yolov8
    /// YOLOv10 and end-to-end exports: the network applies non-maximum suppression.
    case yoloEndToEnd = "yolo-end-to-end"
}

extension DetectionFamily {
    /// - Parameter file: the model's path, for error messages.
    /// - Throws: ``ODTError`` with `.unsupported` if no family matches, or if information is missing, for example the
    ///   labels.
    package static func decoder(
        for network: NetworkDescription, manifest: ModelManifest?, labels: Labels?, file: String
    ) throws -> any DetectionDecoder {
        try recognise(network, manifest: manifest, labels: labels, file: file).decoder
    }

    package static func recognise(
        _ network: NetworkDescription, manifest: ModelManifest?, labels: Labels?, file: String
    ) throws -> (family: DetectionFamily, decoder: any DetectionDecoder) {
        var inspection = try NetworkInspection(network, manifest: manifest, labels: labels, file: file)
        try inspection.readFile()
        // The outputs of other tasks can have the shape of a detection family.
        if let task = inspection.exportMetadata["task"]?.lowercased(),
            !["detect", "segment"].contains(where: { task.contains($0) })
        {
            throw ODTError(
                .unsupported,
                "\(file) has the task \"\(task)\" in its metadata; "
                    + (task == "classify"
                        ? "set it as classifier-file" : "export a model with the task \"detect\" or \"segment\""))
        }
        let named = inspection.namedFamily
        for family in named.map({ [$0] }) ?? allCases {
            guard let decoder = try family.decoder(inspection) else { continue }
            guard manifest?.scoresAreLogits != true || Self.withLogits.contains(family) else {
                throw ODTError(
                    .unsupported,
                    "the manifest of \(file) sets \"logits\", which the family \(family.rawValue) does not support (only "
                        + "\(logitsFamilies)); remove it, and export the model with scores from 0 to 1")
            }
            Diagnostics.report(
                .info,
                "\(file) uses the family \(family.rawValue)"
                    + (named == nil ? "" : " from its manifest") + ": \(inspection.outputsText), "
                    + (labels.map { "\($0.all.count) labels" } ?? "no labels"))
            return (family, inspection.dequantising(decoder))
        }
        guard let named else {
            throw ODTError(.unsupported, "\(file) has \(inspection.outputsText): \(inspection.guess)")
        }
        throw ODTError(
            .unsupported,
            "the manifest of \(file) sets the family \(named.rawValue), but \(inspection.outputsText) of the model "
                + "does not match it; remove \"family\" to detect the family, or set another one")
    }

    /// The families whose class scores can be logits.
    private static let withLogits: [DetectionFamily] = [.efficientDet, .ssd, .detr, .nanodet]
    static var logitsFamilies: String { withLogits.map(\.rawValue).joined(separator: ", ") }

    /// Returns `nil` if the network does not belong to this family.
    private func decoder(_ inspection: NetworkInspection) throws -> (any DetectionDecoder)? {
        switch self {
        case .detrPostprocessed: try SSDPostprocessedDecoder(detr: inspection)
        case .ssdPostprocessed: try SSDPostprocessedDecoder(inspection)
        case .fastestDet: try FastestDetDecoder(inspection)
        case .efficientDet: try AnchorDecoder(efficientDet: inspection)
        case .ssd: try AnchorDecoder(ssd: inspection)
        case .detr: try DETRDecoder(inspection)
        case .yolox: try YOLOXDecoder(inspection)
        case .nanodet: try NanoDetDecoder(inspection)
        case .yolov5: try YOLOXDecoder(yolov5: inspection)
        case .yolov8: try YOLOv8Decoder(inspection)
        case .yoloEndToEnd: try YOLOEndToEndDecoder(inspection)
        }
    }
}

extension NetworkInspection {
    fileprivate var outputsText: String {
        let shapes = outputs.prefix(12).map(\.shapeText)
        return (outputs.count == 1 ? "output " : "outputs ") + shapes.joined(separator: ", ")
    }

    /// The end of the error message for a network that matches no family: the probable kind of the network, and a
    /// remedy.
    fileprivate var guess: String {
        if let picture = network.pictureInput, case let shape = network.inputs[picture].shape, shape.count == 4,
            let batch = shape[0], batch > 1
        {
            return "it takes \(batch) pictures at once; export it with a batch size of 1"
        }
        if outputs.allSatisfy({
            $0.shape.count == 4 && $0.shape[1] == 1 && ($0.shape[2] ?? 99) > 32 && ($0.shape[3] ?? 99) > 32
        }) {
            return "it is probably a saliency network; use it with detector=salient"
        }
        if outputs.count == 1, case let shape = outputs[0].shape, shape.count == 2 {
            // YOLOv7 with non-maximum suppression in the network returns rows of six or seven values.
            if shape[0] != 1, shape[1] == 6 || shape[1] == 7 {
                return "rows of detections without a batch dimension are not supported; export it without non-maximum "
                    + "suppression, or as [1,N,6] with two corners, the score and the class"
            }
            if (shape[0] ?? 1) == 1 { return "it is probably a classifier; set it as classifier-file" }
        }
        return "it matches no supported detection family ("
            + DetectionFamily.allCases.map(\.rawValue).joined(separator: ", ")
            + "); set \"family\" in a manifest \(ModelManifest.path(besideModel: file))"
    }
}
