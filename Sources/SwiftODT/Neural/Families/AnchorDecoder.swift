import Glibc

/// Decodes SSD without built-in post-processing, and EfficientDet. For each anchor, a fixed reference box, the network
/// returns the offsets of an object's box from the anchor, and one score per class.
struct AnchorDecoder: AssembledDecoder {
    /// A pair of outputs, one with boxes and one with scores, for a contiguous range of anchors.
    struct Head: Sendable {
        let boxesOutput: Int
        let scoresOutput: Int
        let firstAnchor: Int
        let anchorCount: Int
        /// The number of anchors per cell if the outputs have planes (NCHW). Each value of each anchor of a cell then
        /// has its own plane. `nil` if the outputs have one row per anchor (NHWC).
        let planarAnchorsPerCell: Int?
    }

    let assembly: DetectionAssembly
    let anchors: Anchors
    let heads: [Head]
    /// `centerScale` divides the offset of the centre, and `sizeScale` divides the logarithm of the size.
    let centerScale: SIMD2<Float>
    let sizeScale: SIMD2<Float>
    /// 1 if the network has a background class, otherwise 0.
    let firstClass: Int
    let classCount: Int
    let activation: ScoreActivation

    func candidates(_ outputs: [TensorView], from floor: Float) throws -> [Candidate] {
        let floor = activation.rawFloor(floor)
        var candidates: [Candidate] = []
        for head in heads {
            guard max(head.boxesOutput, head.scoresOutput) < outputs.count else { throw assembly.mismatch(outputs) }
            let sound = try outputs[head.boxesOutput].withSparseNumbers { boxes in
                try read(head, outputs[head.scoresOutput], boxes, floor, &candidates)
            }
            guard sound else { throw assembly.mismatch(outputs) }
        }
        if activation == .sigmoid, candidates.count == anchors.boxes.count {
            try assembly.requireLogits(heads.map { outputs[$0.scoresOutput] })
        }
        return candidates
    }

    /// Appends a candidate for each anchor of a head whose highest raw class value is at least `floor`. Returns `false`
    /// if the outputs do not have the expected number of values.
    private func read(
        _ head: Head, _ output: TensorView, _ boxes: SparseNumbers, _ floor: Float, _ candidates: inout [Candidate]
    ) throws -> Bool {
        if head.planarAnchorsPerCell == nil, let quantised = try output.quantised() {
            return readRows(head, quantised, boxes, floor, &candidates)
        }
        return try output.withFloats { scores in
            if let kinds = head.planarAnchorsPerCell {
                return readPlanes(head, kinds, scores, boxes, floor, &candidates)
            }
            return readRows(head, scores, boxes, floor, &candidates)
        }
    }

    private func readRows(
        _ head: Head, _ scores: UnsafeBufferPointer<Float>, _ boxes: SparseNumbers, _ floor: Float,
        _ candidates: inout [Candidate]
    ) -> Bool {
        guard
            let rows = ScoreRows(
                scores, stride: firstClass + classCount, firstClass: firstClass, classCount: classCount),
            rows.count == head.anchorCount, boxes.count == 4 * head.anchorCount
        else { return false }
        for row in 0..<rows.count {
            guard let (index, value) = rows.best(inRow: row, from: floor) else { continue }
            candidates.append(candidate(head, row: row, boxes, value: value, index: index))
        }
        return true
    }

    private func readRows(
        _ head: Head, _ scores: QuantisedBytes, _ boxes: SparseNumbers, _ floor: Float, _ candidates: inout [Candidate]
    ) -> Bool {
        guard
            let rows = QuantisedScoreRows(
                scores, stride: firstClass + classCount, firstClass: firstClass, classCount: classCount),
            rows.count == head.anchorCount, boxes.count == 4 * head.anchorCount
        else { return false }
        rows.forEachBest(from: floor) { row, index, value in
            candidates.append(candidate(head, row: row, boxes, value: value, index: index))
        }
        return true
    }

    private func candidate(_ head: Head, row: Int, _ boxes: SparseNumbers, value: Float, index: Int) -> Candidate {
        candidate(
            (boxes[4 * row], boxes[4 * row + 1], boxes[4 * row + 2], boxes[4 * row + 3]),
            anchor: head.firstAnchor + row, score: activation.score(value), index: index)
    }

    private func readPlanes(
        _ head: Head, _ kinds: Int, _ scores: UnsafeBufferPointer<Float>, _ boxes: SparseNumbers, _ floor: Float,
        _ candidates: inout [Candidate]
    ) -> Bool {
        let cells = head.anchorCount / kinds
        let classes = firstClass + classCount
        guard scores.count == cells * kinds * classes, boxes.count == cells * kinds * 4 else { return false }
        for kind in 0..<kinds {
            guard
                let planes = ScorePlanes(
                    scores, count: cells, firstClass: kind * classes + firstClass, classCount: classCount)
            else { return false }
            planes.forEachBest(from: floor) { cell, index, value in
                let box = kind * 4 * cells + cell
                candidates.append(
                    candidate(
                        (boxes[box], boxes[box + cells], boxes[box + 2 * cells], boxes[box + 3 * cells]),
                        anchor: head.firstAnchor + cell * kinds + kind, score: activation.score(value), index: index))
            }
        }
        return true
    }

    /// - Parameter difference: the offsets from the anchor: centre y, centre x, logarithm of the height, logarithm of
    ///   the width.
    private func candidate(
        _ difference: (Float, Float, Float, Float), anchor number: Int, score: Float, index: Int
    ) -> Candidate {
        let anchor = anchors.boxes[number]
        return Candidate(
            centerX: anchor.centerX + difference.1 / centerScale.x * anchor.width,
            centerY: anchor.centerY + difference.0 / centerScale.y * anchor.height,
            width: exp(difference.3 / sizeScale.x) * anchor.width,
            height: exp(difference.2 / sizeScale.y) * anchor.height,
            score: score, classIndex: index)
    }
}

extension AnchorDecoder {
    /// EfficientDet and EfficientDet-Lite differ only in the element type of the input, which the model file declares.
    static let usualEfficientDet = NetworkInput(
        width: 320, height: 320, mean: SIMD3(repeating: 127), scale: SIMD3(repeating: 1 / 128),
        fit: .letterboxTopLeft(fill: 127))
    static let usualSSD = NetworkInput(
        width: 300, height: 300, mean: SIMD3(repeating: 127.5), scale: SIMD3(repeating: 1 / 127.5))

    init?(efficientDet inspection: NetworkInspection) throws {
        guard inspection.outputs.count >= 2, inspection.outputs.count % 2 == 0 else { return nil }
        let input = try inspection.input(Self.usualEfficientDet)
        var pyramid = Anchors.Pyramid.efficientDet
        pyramid.adjust(to: inspection.manifest?.anchors)
        let grid = pyramid.grid(width: input.width, height: input.height)
        let count = grid.count * pyramid.anchorsPerCell
        if let end = inspection.postProcess {
            guard end.anchors.count / 4 == count else { return nil }
            try self.init(inspection, input, end)
            return
        }
        let paired = AnchorHeads(inspection, level: grid, anchorsPerCell: pyramid.anchorsPerCell)
        guard let heads = paired ?? AnchorHeads(inspection, anchors: count) else { return nil }
        // The anchors of MediaPipe Model Maker have other aspect ratios, and are in the metadata of its files.
        let fixed = inspection.manifest?.anchors == nil ? inspection.fixedAnchors : []
        let anchors =
            fixed.count == 4 * count
            ? Anchors(fractions: fixed, width: input.width, height: input.height)
            : Anchors(pyramid, width: input.width, height: input.height)
        // In exports that join all levels in one output, the network has already applied the sigmoid to the scores.
        try self.init(
            inspection, input, heads, anchors,
            boxCoderScales: [1, 1, 1, 1], hasBackground: false, logits: paired != nil)
    }

    init?(ssd inspection: NetworkInspection) throws {
        guard inspection.outputs.count >= 2 else { return nil }
        let input = try inspection.input(Self.usualSSD)
        if let end = inspection.postProcess {
            try self.init(inspection, input, end)
            return
        }
        var layers = Anchors.Layers()
        layers.adjust(to: inspection.manifest)
        var pyramid = Anchors.Pyramid.ssdWithFPN
        pyramid.adjust(to: inspection.manifest?.anchors)
        let (width, height) = (input.width, input.height)
        let (heads, anchors): (AnchorHeads, Anchors)
        if let found = AnchorHeads(inspection, anchors: layers.count(width: width, height: height)) {
            (heads, anchors) = (found, Anchors(layers, width: width, height: height))
        } else if let found = AnchorHeads(inspection, anchors: pyramid.count(width: width, height: height)) {
            (heads, anchors) = (found, Anchors(pyramid, width: width, height: height))
        } else {
            return nil
        }
        try self.init(
            inspection, input, heads, anchors, boxCoderScales: [10, 10, 5, 5], hasBackground: true, logits: true)
    }

    /// Creates the decoder for a .tflite network whose post-processing operation was removed. The operation expects
    /// scores after the sigmoid, so the network's scores are not logits.
    private init?(_ inspection: NetworkInspection, _ input: NetworkInput, _ end: TFLitePostProcess) throws {
        guard let heads = AnchorHeads(inspection, anchors: end.anchors.count / 4) else { return nil }
        let background = inspection.manifest?.hasBackground ?? end.classCount.map { $0 < heads.classes } ?? true
        try self.init(
            inspection, input, heads, Anchors(fractions: end.anchors, width: input.width, height: input.height),
            boxCoderScales: end.scales, hasBackground: background, logits: false)
    }

    private init?(
        _ inspection: NetworkInspection, _ input: NetworkInput, _ heads: AnchorHeads, _ anchors: Anchors,
        boxCoderScales usualScales: [Double], hasBackground usualBackground: Bool, logits usualLogits: Bool
    ) throws {
        let scales = (inspection.manifest?.anchors?.boxCoderScales ?? usualScales).map { Float($0) }
        let background = inspection.manifest?.hasBackground ?? usualBackground
        let classes = heads.classes - (background ? 1 : 0)
        guard classes > 0 else { return nil }
        self.init(
            assembly: try inspection.assembly(input, classes: classes), anchors: anchors, heads: heads.heads,
            centerScale: SIMD2(scales[1], scales[0]), sizeScale: SIMD2(scales[3], scales[2]),
            firstClass: background ? 1 : 0, classCount: classes,
            activation: inspection.manifest?.scoresAreLogits ?? usualLogits ? .sigmoid : .none)
    }
}
