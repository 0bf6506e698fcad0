/// Decodes YOLOv5, v6 and v7: like YOLOX, but the network has already decoded the boxes to input pixels.
struct YOLOv5Decoder: DetectionDecoder {
    let assembly: DetectionAssembly
    let classCount: Int
    /// The number of values after the classes that are ignored, for example mask coefficients.
    let extraCount: Int
    var input: NetworkInput { assembly.input }
    var labels: [String]? { assembly.names.all }

    func decode(
        _ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions
    ) throws -> [Detection] {
        guard let output = outputs.first, output.shape.last == 5 + classCount + extraCount else {
            throw assembly.mismatch(outputs)
        }
        let candidates = try output.withFloats { values -> [Candidate] in
            guard let rows = ObjectnessRows(values, classCount: classCount, extraCount: extraCount) else {
                throw assembly.mismatch(outputs)
            }
            var candidates: [Candidate] = []
            rows.forEachBest(from: assembly.floor(options)) { _, index, score, box in
                candidates.append(
                    Candidate(
                        centerX: box[0], centerY: box[1], width: box[2], height: box[3], score: score, classIndex: index
                    ))
            }
            return candidates
        }
        return assembly.detections(from: assembly.inPixels(candidates), placement: placement, options: options)
    }
}

extension YOLOv5Decoder {
    init?(_ inspection: NetworkInspection) throws {
        guard let output = inspection.outputs.indices.first(where: { inspection.matrix($0) != nil }),
            output == 0, let matrix = inspection.matrix(output), let columns = matrix.columns
        else { return nil }
        // A segmentation network has a second output with mask prototypes, and mask coefficients after the classes.
        let masks = inspection.maskCount
        guard case .objectness(let classes) = BoxEncoding(columns - masks, in: inspection),
            inspection.outputs.count == 1 || masks > 0
        else { return nil }
        let input = try inspection.input(YOLOv8Decoder.usual)
        if let rows = matrix.rows, inspection.namedFamily != .yolov5 {
            // Each cell has three boxes.
            guard rows % 3 == 0,
                inspection.grid(input, cells: rows / 3, usual: [[8, 16, 32], [8, 16, 32, 64]]) != nil
            else {
                return nil
            }
        }
        self.init(assembly: try inspection.assembly(input, classes: classes), classCount: classes, extraCount: masks)
    }
}
