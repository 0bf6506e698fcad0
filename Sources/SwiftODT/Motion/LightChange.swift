/// The change of lighting from the background model to a frame, as `frame = gain * background + offset`. Flickering
/// lamps, clouds and automatic exposure cause it.
struct LightChange {
    var gain: Float = 1
    var offset: Float = 0
}

extension LightChange {
    /// Estimates gain and offset by linear regression.
    ///
    /// The regression uses a few thousand pixels and several rounds. Each round excludes the outliers of the previous
    /// round. Foreground objects thus have little influence. In a scene without contrast, the gain is undetermined and
    /// stays near 1.
    init(from background: PixelGrid<Float>, to pixels: UnsafePointer<UInt8>, ignoring marks: PixelGrid<UInt8>) {
        self.init()
        let step = max(1, Int(Double(background.count / 4000).squareRoot()))
        guard let middle = Self.median(background, pixels, marks, step) else { return }
        offset = middle
        for gate: Float in [48, 24, 12] {
            var (n, b, c, bb, bc): (Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0)
            Self.forEachSample(of: background, marks, step) { index in
                let (level, seen) = (background.base[index], Float(pixels[index]))
                guard Self.isUsable(pixels[index]), abs(level * gain + offset - seen) < gate else { return }
                n += 1
                b += level
                c += seen
                bb += level * level
                bc += level * seen
            }
            guard n >= 16 else { break }
            (b, c, bb, bc) = (b / n, c / n, bb / n, bc / n)
            gain = min(max((bc - b * c + Self.inertia) / (bb - b * b + Self.inertia), 0.4), 2.5)
            offset = c - gain * b
        }
    }

    /// The strength of the regularisation that pulls the gain towards 1, as a variance in squared grey levels.
    private static let inertia: Float = 30
    /// If less than this fraction of the pixels is neither underexposed nor overexposed, a change of light is not
    /// estimated. On a black or white background, all usable pixels can be those of an object.
    private static let minimumShare: Float = 0.2

    /// Returns the median change of the usable pixels; `nil` if there are too few.
    private static func median(
        _ background: PixelGrid<Float>, _ pixels: UnsafePointer<UInt8>, _ marks: PixelGrid<UInt8>, _ step: Int
    ) -> Float? {
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 511) { histogram in
            histogram.initialize(repeating: 0)
            var (total, usable): (Int32, Int32) = (0, 0)
            forEachSample(of: background, marks, step) { index in
                total += 1
                guard isUsable(pixels[index]) else { return }
                let change = Float(pixels[index]) - background.base[index]
                histogram[min(max(Int(change.rounded()) + 255, 0), 510)] += 1
                usable += 1
            }
            guard usable >= 16, Float(usable) >= minimumShare * Float(total) else { return nil }
            var below: Int32 = 0
            for (bin, count) in histogram.enumerated() {
                below += count
                if below * 2 >= usable { return Float(bin - 255) }
            }
            return nil
        }
    }

    /// Calls `body` for a sample of the pixels. Pixels that were foreground in the previous frame are skipped.
    @inline(__always)
    private static func forEachSample(
        of background: PixelGrid<Float>, _ marks: PixelGrid<UInt8>, _ step: Int, _ body: (_ index: Int) -> Void
    ) {
        for y in stride(from: 0, to: background.height, by: step) {
            var i = y * background.width + (y / step % 2) * (step / 2)
            let end = (y + 1) * background.width
            while i < end {
                if marks.base[i] == 0 { body(i) }
                i += step
            }
        }
    }

    /// Whether a pixel is neither underexposed nor overexposed.
    private static func isUsable(_ pixel: UInt8) -> Bool { pixel > 1 && pixel < 254 }
}
