/// Assigns a network's outputs to ranges of anchors.
struct AnchorHeads {
    let heads: [AnchorDecoder.Head]
    /// The number of class scores per anchor, including a background class.
    let classes: Int

    /// The maximum number of anchors. It bounds the memory that a manifest can request and is far above the number of
    /// anchors of real networks.
    static let maximum = 1 << 22

    /// Finds one output with all boxes and one output with all scores.
    init?(_ inspection: NetworkInspection, anchors: Int) {
        guard anchors <= Self.maximum,
            let boxes = inspection.outputs.indices.first(where: {
                inspection.matrix($0)?.columns == 4 && inspection.rows($0, anchors)
            }),
            let scores = inspection.outputs.indices.first(where: { $0 != boxes && inspection.rows($0, anchors) }),
            let classes = inspection.matrix(scores)?.columns, classes > 1
        else { return nil }
        heads = [
            AnchorDecoder.Head(
                boxesOutput: boxes, scoresOutput: scores, firstAnchor: 0, anchorCount: anchors, planesPerCell: nil)
        ]
        self.classes = classes
    }

    /// Finds a pair of outputs for each pyramid level.
    init?(_ inspection: NetworkInspection, level grid: CellGrid, anchorsPerCell: Int) {
        guard inspection.outputs.count == 2 * grid.levels.count, grid.count * anchorsPerCell <= Self.maximum else {
            return nil
        }
        var heads: [AnchorDecoder.Head] = []
        var counts: Set<Int> = []
        for level in grid.levels {
            let pair = inspection.outputs.indices.compactMap { inspection.levelOutput($0, level) }
            guard pair.count == 2, pair[0].inPlanes == pair[1].inPlanes,
                let boxes = pair.first(where: { $0.numbers == 4 * anchorsPerCell }),
                let scores = pair.first(where: { $0.output != boxes.output }), scores.numbers % anchorsPerCell == 0
            else { return nil }
            counts.insert(scores.numbers / anchorsPerCell)
            heads.append(
                AnchorDecoder.Head(
                    boxesOutput: boxes.output, scoresOutput: scores.output, firstAnchor: level.start * anchorsPerCell,
                    anchorCount: level.columns * level.rows * anchorsPerCell,
                    planesPerCell: boxes.inPlanes ? anchorsPerCell : nil))
        }
        guard counts.count == 1, let classes = counts.first else { return nil }
        self.heads = heads
        self.classes = classes
    }
}

extension NetworkInspection {
    /// Whether the file declares an output with `count` rows.
    fileprivate func rows(_ output: Int, _ count: Int) -> Bool { matrix(output)?.rows == count }

    /// Returns the number of values per cell of an output that matches a level's size, and whether each value has its
    /// own plane (NCHW) instead of being last in the shape (NHWC).
    fileprivate func levelOutput(
        _ output: Int, _ level: CellGrid.Level
    ) -> (output: Int, numbers: Int, inPlanes: Bool)? {
        let shape = outputs[output].shape
        guard shape.count == 4 else { return nil }
        if shape[1] == level.rows, shape[2] == level.columns, let numbers = shape[3] { return (output, numbers, false) }
        if shape[2] == level.rows, shape[3] == level.columns, let numbers = shape[1] { return (output, numbers, true) }
        return nil
    }
}

extension Anchors.Pyramid {
    mutating func adjust(to manifestValue: ModelManifest.AnchorSettings?) {
        levels = manifestValue?.levels ?? levels
        scalesPerLevel = manifestValue?.scalesPerLevel ?? scalesPerLevel
        aspectRatios = manifestValue?.aspectRatios ?? aspectRatios
        scale = manifestValue?.scale ?? scale
    }
}

extension Anchors.Layers {
    mutating func adjust(to manifestValue: ModelManifest?) {
        minScale = manifestValue?.anchors?.minScale ?? minScale
        maxScale = manifestValue?.anchors?.maxScale ?? maxScale
        aspectRatios = manifestValue?.anchors?.aspectRatios ?? aspectRatios
        strides = manifestValue?.strides ?? strides
    }
}
