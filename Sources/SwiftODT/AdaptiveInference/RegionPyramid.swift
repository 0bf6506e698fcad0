/// The candidate regions for inference: the full frame, and tiles at each magnification level.
///
/// The tiles of a grid cover the whole picture at each level. Further regions are centred on objects. All regions can
/// be shifted so that their edges do not cut objects.
struct RegionPyramid: Sendable {
    struct CandidateRegion: Sendable {
        let box: Box
        /// 0 for the full frame.
        let level: Int

        var isWhole: Bool { level == 0 }
    }

    let picture: RegionSelector.Geometry
    let fullFrame: CandidateRegion
    let tiles: [CandidateRegion]
    /// For each level: the size of an object in input pixels, divided by its size in buffer pixels. The size of an
    /// object is the square root of its area.
    private let scales: [Double]

    /// The margin on each side of an object, relative to the object's width or height. It leaves room for motion until
    /// the result is available.
    private static let margin = 0.1
    /// A region that contains more than this fraction of an object's area is shifted to contain the whole object.
    /// Otherwise it is shifted away from the object.
    private static let minimumShare = 0.3

    init(of picture: RegionSelector.Geometry) {
        self.picture = picture
        fullFrame = CandidateRegion(
            box: Box(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height)), level: 0)
        let grid = TileGrid(
            width: picture.width, height: picture.height, pixelAspectRatio: picture.pixelAspectRatio,
            turned: picture.turned, input: picture.input)
        let across = Double(max(1, picture.turned ? picture.input.height : picture.input.width))
        let down = Double(max(1, picture.turned ? picture.input.width : picture.input.height))
        let aspect = TileGrid.clampedToRange(picture.pixelAspectRatio)
        // The network's input has square pixels, so the pixel aspect ratio affects the number of input pixels per
        // buffer pixel.
        func scale(_ box: Box) -> Double { min(across / (box.width * aspect), down / box.height) * aspect.squareRoot() }
        var (tiles, scales) = ([CandidateRegion](), [scale(fullFrame.box)])
        var size = SIMD2(fullFrame.box.width, fullFrame.box.height)
        for region in grid.tiles {
            if SIMD2(region.width, region.height) != size {
                size = SIMD2(region.width, region.height)
                scales.append(scale(region))
            }
            tiles.append(CandidateRegion(box: region, level: scales.count - 1))
        }
        (self.tiles, self.scales) = (tiles, scales)
    }

    var levels: Range<Int> { scales.indices }

    /// Returns the detectability of an object at a level. `side` is the square root of the object's area in buffer
    /// pixels.
    func visibility(ofSide side: Double, at level: Int) -> Detectability { Detectability(side: side * scales[level]) }

    /// Returns the likelihood (0 to 1) that an object is detected at a level. The likelihood depends on the size of the
    /// object in the network's input, and on the magnification at which the object was detected before.
    func visibility(of place: TrackerSnapshot.ObjectState, at level: Int) -> Double {
        let bySize = visibility(ofSide: max(0, place.box.area).squareRoot(), at: level)
        return bySize.likelihood(observedAt: place.observedMagnification, inferredAt: scales[level] / scales[0])
    }

    /// Converts a candidate to an ``InferredRegion``, which determines at which edges of the region objects are cut
    /// off.
    func inferredRegion(of view: CandidateRegion) -> InferredRegion {
        InferredRegion(
            view.isWhole ? nil : view.box, width: picture.width, height: picture.height,
            pixelAspectRatio: picture.pixelAspectRatio)
    }

    static func cuts(_ region: InferredRegion, _ object: Box) -> Bool { region.cuts(object.grown(by: margin)) }

    /// Returns regions that are centred on objects, at each level where an object is easier to detect than at the
    /// previous level.
    func regions(around places: some Sequence<TrackerSnapshot.ObjectState>) -> [CandidateRegion] {
        var found: [CandidateRegion] = []
        for place in places {
            for level in levels.dropFirst() where visibility(of: place, at: level - 1) < 1 {
                guard let size = tiles.first(where: { $0.level == level })?.box else { continue }
                let box = Box(
                    centerX: place.box.centerX, centerY: place.box.centerY, width: size.width, height: size.height)
                found.append(CandidateRegion(box: box, level: level))
            }
        }
        return found
    }

    /// Shifts a region so that its edges cut no objects, and keeps the region within the picture. The region is shifted
    /// to contain an object completely if the object fits and enough of it is inside already. Otherwise the region is
    /// shifted away from the object.
    func avoidingCuts(_ places: [TrackerSnapshot.ObjectState], by view: CandidateRegion) -> CandidateRegion {
        if view.isWhole { return view }
        var region = kept(view.box)
        for _ in 0..<2 {
            for place in places {
                let box = place.box.grown(by: Self.margin)
                let shared = box.intersection(region)
                guard !shared.isEmpty else { continue }
                if shared.area > Self.minimumShare * box.area, box.width < region.width, box.height < region.height {
                    region = region.offset(
                        x: Self.push(region.minX, region.maxX, box.minX, box.maxX),
                        y: Self.push(region.minY, region.maxY, box.minY, box.maxY))
                } else if shared.width < shared.height {
                    region = region.offset(x: region.centerX < box.centerX ? -shared.width : shared.width, y: 0)
                } else {
                    region = region.offset(x: 0, y: region.centerY < box.centerY ? -shared.height : shared.height)
                }
                region = kept(region)
            }
        }
        return CandidateRegion(box: region, level: view.level)
    }

    /// Returns the smallest shift with which the range `low...high` contains the range `first...last`. The second range
    /// must be shorter than the first range.
    private static func push(_ low: Double, _ high: Double, _ first: Double, _ last: Double) -> Double {
        if first < low { return first - low }
        return last > high ? last - high : 0
    }

    private func kept(_ region: Box) -> Box {
        Box(
            x: min(max(0, region.x), max(0, fullFrame.box.width - region.width)).rounded(),
            y: min(max(0, region.y), max(0, fullFrame.box.height - region.height)).rounded(),
            width: region.width, height: region.height)
    }
}

/// A model of the likelihood that a detector finds an object, given the size of the object in the network's input.
struct Detectability: Sendable {
    /// The square root of the object's area, in pixels of the network's input.
    private let side: Double

    /// The likelihood of a detection grows linearly with ``side``. It is 0 if ``side`` is `invisible`, and 1 if
    /// ``side`` is `plain`. Both values are in pixels of the network's input.
    private static let (invisible, plain) = (6.0, 36.0)
    /// The lower bound of the likelihood, because even the smallest object may be detected.
    private static let minimum = 0.02
    /// The likelihood is multiplied by this factor if the object was detected only at a higher magnification.
    private static let fullFrameDistrust = 0.3
    /// Two magnifications count as different if their ratio is larger than this value.
    static let near = 1.25

    init(side: Double) { self.side = side }

    /// Whether the object is so large that a higher magnification would not improve its detection.
    var isCertain: Bool { side >= Self.plain }

    /// Returns the likelihood (0 to 1) that an inference at `magnification` detects the object. The likelihood is
    /// reduced if the object was detected only at a higher magnification.
    func likelihood(observedAt observedMagnification: Double, inferredAt magnification: Double) -> Double {
        let bySize = min(1, max(Self.minimum, (side - Self.invisible) / (Self.plain - Self.invisible)))
        return observedMagnification > Self.near * magnification ? bySize * Self.fullFrameDistrust : bySize
    }
}
