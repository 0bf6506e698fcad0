/// The views that a picture may be looked at in: the whole, and parts of it on each level of magnification.
///
/// Besides the parts of a grid, which leave no place out, there are those with an object in their middle; either way a part gives way to
/// the objects at its edges.
struct RegionPyramid: Sendable {
    struct CandidateRegion: Sendable {
        let box: Box
        /// Which of the levels of magnification; 0 is the whole.
        let level: Int

        var isWhole: Bool { level == 0 }
    }

    let picture: RegionSelector.Geometry
    let fullFrame: CandidateRegion
    /// Of a ``TileGrid``.
    let tiles: [CandidateRegion]
    /// Input pixels for a pixel of the picture, level by level.
    private let scales: [Double]

    /// Of an object's side: it may move on.
    private static let margin = 0.1
    /// An object of which more than this share is in a part comes wholly into it.
    private static let minimumShare = 0.3

    init(of picture: RegionSelector.Geometry) {
        self.picture = picture
        fullFrame = CandidateRegion(box: Box(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height)), level: 0)
        let grid = TileGrid(
            width: picture.width, height: picture.height, pixelAspectRatio: picture.pixelAspectRatio,
            turned: picture.turned, input: picture.input)
        let across = Double(max(1, picture.turned ? picture.input.height : picture.input.width))
        let down = Double(max(1, picture.turned ? picture.input.width : picture.input.height))
        let aspect = TileGrid.clampedToRange(picture.pixelAspectRatio)
        // A square of the buffer's pixels covers so much more, or less, as it is shown.
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

    /// Of something that covers as much as a square of this side in the picture.
    func visibility(ofSide side: Double, at level: Int) -> Detectability { Detectability(side: side * scales[level]) }

    /// How likely an object is seen at a level, 0 to 1: by its size in the network's input, and by how near it was seen.
    func visibility(of place: TrackerSnapshot.ObjectState, at level: Int) -> Double {
        let bySize = visibility(ofSide: max(0, place.box.area).squareRoot(), at: level)
        return bySize.likelihood(observedAt: place.observedMagnification, inferredAt: scales[level] / scales[0])
    }

    /// What a view shows, and what of it is cut.
    func seen(in view: CandidateRegion) -> InferredRegion {
        InferredRegion(
            view.isWhole ? nil : view.box, width: picture.width, height: picture.height,
            pixelAspectRatio: picture.pixelAspectRatio)
    }

    /// Whether a part's edges cut an object, or the little around it into which it may move.
    static func cuts(_ region: InferredRegion, _ object: Box) -> Bool { region.cuts(widened(object)) }

    /// Views with an object in their middle, on each level on which more is to be seen of it than on the one before.
    func views(around places: some Sequence<TrackerSnapshot.ObjectState>) -> [CandidateRegion] {
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

    /// Moves a part so that objects at its edges come wholly into it, where they fit and most of them is in it already, or out of it;
    /// and keeps it within the picture.
    func avoidingCuts(_ places: [TrackerSnapshot.ObjectState], by view: CandidateRegion) -> CandidateRegion {
        if view.isWhole { return view }
        var region = kept(view.box)
        for _ in 0..<2 {
            for place in places {
                let box = Self.widened(place.box)
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

    /// How far a range has to go to hold another that is shorter.
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

    private static func widened(_ box: Box) -> Box {
        Box(
            centerX: box.centerX, centerY: box.centerY, width: box.width * (1 + 2 * margin),
            height: box.height * (1 + 2 * margin))
    }
}
