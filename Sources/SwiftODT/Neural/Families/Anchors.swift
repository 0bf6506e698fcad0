import Glibc

/// The anchors of a network, in input pixels. An anchor is a fixed reference box; the network returns box offsets
/// relative to it. The anchors have the same order as the rows of the network's outputs.
struct Anchors: Sendable {
    struct Anchor: Sendable {
        var centerX: Float
        var centerY: Float
        var width: Float
        var height: Float
    }

    private(set) var boxes: [Anchor] = []
}

extension Anchors {
    /// Creates anchors from a model file's list. Each anchor has four values: centre y, centre x, height and width as
    /// fractions of the input.
    init(fractions: [Float], width: Int, height: Int) {
        let (width, height) = (Float(width), Float(height))
        boxes = stride(from: 0, to: fractions.count - 3, by: 4).map {
            Anchor(
                centerX: fractions[$0 + 1] * width, centerY: fractions[$0] * height,
                width: fractions[$0 + 3] * width, height: fractions[$0 + 2] * height)
        }
    }
}

extension Anchors {
    /// The anchors of a feature pyramid (EfficientDet, SSD with FPN). Each level has the same anchor shapes, scaled by
    /// the stride of the level.
    struct Pyramid: Sendable {
        /// Level n has a stride of 2ⁿ input pixels.
        var levels: ClosedRange<Int>
        var scalesPerLevel: Int
        var aspectRatios: [Double]
        /// The side of a level's smallest square anchor, in cells of this level.
        var scale: Double
        /// Whether the anchors of a cell are sorted by aspect ratio first, then by scale. If `false`, they are sorted
        /// by scale first.
        var aspectsOutside: Bool
        /// Whether anchors are centred on the upper left corners of cells, as in TensorFlow, and not on the cells'
        /// centres. This applies only along an axis whose length is not a multiple of the level's stride.
        var unevenFromCorner: Bool

        static let efficientDet = Pyramid(
            levels: 3...7, scalesPerLevel: 3, aspectRatios: [1, 2, 0.5], scale: 3, aspectsOutside: false,
            unevenFromCorner: false)
        static let ssdWithFPN = Pyramid(
            levels: 3...7, scalesPerLevel: 2, aspectRatios: [1, 2, 0.5], scale: 4, aspectsOutside: true,
            unevenFromCorner: true)

        var anchorsPerCell: Int { scalesPerLevel * aspectRatios.count }

        func grid(width: Int, height: Int) -> CellGrid {
            CellGrid(width: width, height: height, strides: levels.map { 1 << $0 })
        }

        func count(width: Int, height: Int) -> Int { grid(width: width, height: height).count * anchorsPerCell }
    }

    init(_ pyramid: Pyramid, width: Int, height: Int) {
        let scales = (0..<pyramid.scalesPerLevel).map {
            pyramid.scale * pow(2, Double($0) / Double(pyramid.scalesPerLevel))
        }
        let ordered =
            pyramid.aspectsOutside
            ? pyramid.aspectRatios.flatMap { aspect in scales.map { ($0, aspect) } }
            : scales.flatMap { scale in pyramid.aspectRatios.map { (scale, $0) } }
        let kinds = ordered.map { scale, aspect in
            (width: scale * aspect.squareRoot(), height: scale / aspect.squareRoot())
        }
        let grid = pyramid.grid(width: width, height: height)
        boxes.reserveCapacity(grid.count * kinds.count)
        for level in grid.levels {
            let stride = Double(level.stride)
            let offsetX = pyramid.unevenFromCorner && width % level.stride != 0 ? 0 : 0.5
            let offsetY = pyramid.unevenFromCorner && height % level.stride != 0 ? 0 : 0.5
            for row in 0..<level.rows {
                for column in 0..<level.columns {
                    for kind in kinds {
                        boxes.append(
                            Anchor(
                                centerX: Float((Double(column) + offsetX) * stride),
                                centerY: Float((Double(row) + offsetY) * stride),
                                width: Float(kind.width * stride), height: Float(kind.height * stride)))
                    }
                }
            }
        }
    }
}

extension Anchors {
    /// The anchors of the six output layers of SSD. Each layer has its own anchor size, as in the multi-scale grid of
    /// TensorFlow's object detection API.
    struct Layers: Sendable {
        /// The scale of the first layer's anchors, as a fraction of the input's shorter side.
        var minScale = 0.2
        /// The scale of the last layer's anchors, as a fraction of the input's shorter side.
        var maxScale = 0.95
        /// Width divided by height.
        var aspectRatios = [1, 2, 0.5, 3, 1.0 / 3]
        /// The number of input pixels per cell, for each layer.
        var strides = [16, 32, 64, 128, 256, 512]

        func count(width: Int, height: Int) -> Int {
            CellGrid(width: width, height: height, strides: strides).levels.enumerated()
                .reduce(0) { $0 + $1.element.columns * $1.element.rows * kinds(layer: $1.offset).count }
        }

        /// Returns the anchors of a cell. `scale` is the size as a fraction of the input's shorter side, `aspect` the
        /// ratio of width to height.
        fileprivate func kinds(layer: Int) -> [(scale: Double, aspect: Double)] {
            // A cell of the first layer has only three anchors. One of them has the small scale 0.1
            // (`reduce_boxes_in_lowest_layer` in TensorFlow).
            if layer == 0 { return [(0.1, 1), (scale(0), 2), (scale(0), 0.5)] }
            let between = (scale(layer) * scale(layer + 1)).squareRoot()
            return aspectRatios.map { (scale(layer), $0) } + [(between, 1)]
        }

        private func scale(_ layer: Int) -> Double {
            layer == strides.count
                ? 1 : minScale + (maxScale - minScale) * Double(layer) / Double(max(strides.count - 1, 1))
        }
    }

    init(_ layers: Layers, width: Int, height: Int) {
        let shorter = Double(min(width, height))
        for (number, level) in CellGrid(width: width, height: height, strides: layers.strides).levels.enumerated() {
            let kinds = layers.kinds(layer: number)
            for row in 0..<level.rows {
                for column in 0..<level.columns {
                    for (scale, aspect) in kinds {
                        boxes.append(
                            Anchor(
                                centerX: Float((Double(column) + 0.5) / Double(level.columns) * Double(width)),
                                centerY: Float((Double(row) + 0.5) / Double(level.rows) * Double(height)),
                                width: Float(scale * aspect.squareRoot() * shorter),
                                height: Float(scale / aspect.squareRoot() * shorter)))
                    }
                }
            }
        }
    }
}

/// Finds the outputs of a network that have boxes and scores, and assigns them to ranges of anchors.
struct AnchorHeads {
    let heads: [AnchorDecoder.Head]
    /// The number of class scores per anchor, including a background class.
    let classes: Int

    /// Limits the memory that the decoder allocates for a wrong manifest. Real networks have far fewer anchors.
    static let maximum = 1 << 22

    /// Finds one output with the boxes of all anchors and one output with the scores of all anchors.
    init?(_ inspection: NetworkInspection, anchors: Int) {
        guard anchors <= Self.maximum,
            let boxes = inspection.boxes(
                of: inspection.outputs.indices.filter {
                    inspection.matrix($0)?.columns == 4 && inspection.rows($0, anchors)
                }),
            let scores = inspection.outputs.indices.first(where: { $0 != boxes && inspection.rows($0, anchors) }),
            let classes = inspection.matrix(scores)?.columns, classes > 1 || inspection.isPlausible(1)
        else { return nil }
        heads = [
            AnchorDecoder.Head(
                boxesOutput: boxes, scoresOutput: scores, firstAnchor: 0, anchorCount: anchors,
                planarAnchorsPerCell: nil)
        ]
        self.classes = classes
    }

    /// Finds a pair of outputs with boxes and scores for each level of the feature pyramid.
    init?(_ inspection: NetworkInspection, level grid: CellGrid, anchorsPerCell: Int) {
        guard inspection.outputs.count == 2 * grid.levels.count, grid.count * anchorsPerCell <= Self.maximum else {
            return nil
        }
        var heads: [AnchorDecoder.Head] = []
        var counts: Set<Int> = []
        for level in grid.levels {
            let pair = inspection.outputs.indices.compactMap { inspection.levelOutput($0, level) }
            guard pair.count == 2, pair[0].inPlanes == pair[1].inPlanes,
                let output = inspection.boxes(
                    of: pair.filter { $0.numbers == 4 * anchorsPerCell }.map(\.output)),
                let boxes = pair.first(where: { $0.output == output }),
                let scores = pair.first(where: { $0.output != boxes.output }), scores.numbers % anchorsPerCell == 0
            else { return nil }
            counts.insert(scores.numbers / anchorsPerCell)
            heads.append(
                AnchorDecoder.Head(
                    boxesOutput: boxes.output, scoresOutput: scores.output, firstAnchor: level.start * anchorsPerCell,
                    anchorCount: level.columns * level.rows * anchorsPerCell,
                    planarAnchorsPerCell: boxes.inPlanes ? anchorsPerCell : nil))
        }
        guard counts.count == 1, let classes = counts.first else { return nil }
        self.heads = heads
        self.classes = classes
    }
}

extension NetworkInspection {
    fileprivate func rows(_ output: Int, _ count: Int) -> Bool { matrix(output)?.rows == count }

    /// Returns the number of values per cell (`numbers`) of an output. Returns `nil` if the size of the output does not
    /// match the pyramid level. `inPlanes` is `true` if the values of a cell are in separate planes (NCHW), and `false`
    /// if they are next to each other (NHWC).
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

/// The cells of a network's output levels. A level divides the input into square cells of one size. Cells are numbered
/// level by level, in row-major order within a level.
struct CellGrid: Hashable, Sendable {
    struct Level: Hashable, Sendable {
        /// The side of a cell in input pixels.
        let stride: Int
        let columns: Int
        let rows: Int
        /// The index of the level's first cell.
        let start: Int
    }

    let levels: [Level]
    let count: Int

    /// Creates one level per stride. Cells that extend beyond the input are included.
    init(width: Int, height: Int, strides: [Int]) {
        var start = 0
        levels = strides.map { stride in
            let level = Level(
                stride: stride, columns: (width + stride - 1) / stride, rows: (height + stride - 1) / stride,
                start: start)
            start += level.columns * level.rows
            return level
        }
        count = start
    }

    /// Returns the position of a cell within its level, in cells, and the level's stride in input pixels.
    ///
    /// - Parameter index: below ``count``.
    @inline(__always)
    func cell(_ index: Int) -> (column: Float, row: Float, stride: Float) {
        var number = 0
        while number + 1 < levels.count, index >= levels[number + 1].start { number += 1 }
        let level = levels[number]
        let offset = index - level.start
        return (Float(offset % level.columns), Float(offset / level.columns), Float(level.stride))
    }
}
