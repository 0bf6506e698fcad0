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
            Self.visit(background, pixels, marks, step) { level, seen in
                guard abs(level * gain + offset - seen) < gate else { return }
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

    private static func median(
        _ background: PixelGrid<Float>, _ pixels: UnsafePointer<UInt8>, _ marks: PixelGrid<UInt8>, _ step: Int
    ) -> Float? {
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 511) { histogram in
            histogram.initialize(repeating: 0)
            var total: Int32 = 0
            visit(background, pixels, marks, step) { level, seen in
                histogram[min(max(Int((seen - level).rounded()) + 255, 0), 510)] += 1
                total += 1
            }
            guard total >= 16 else { return nil }
            var below: Int32 = 0
            for (bin, count) in histogram.enumerated() {
                below += count
                if below * 2 >= total { return Float(bin - 255) }
            }
            return nil
        }
    }

    /// Calls `body` for a sample of the pixels. Pixels that were foreground in the previous frame are skipped, and so
    /// are underexposed and overexposed pixels.
    private static func visit(
        _ background: PixelGrid<Float>, _ pixels: UnsafePointer<UInt8>, _ marks: PixelGrid<UInt8>, _ step: Int,
        _ body: (_ level: Float, _ seen: Float) -> Void
    ) {
        for y in stride(from: 0, to: background.height, by: step) {
            var i = y * background.width + (y / step % 2) * (step / 2)
            let end = (y + 1) * background.width
            while i < end {
                if marks.base[i] == 0, pixels[i] > 1, pixels[i] < 254 { body(background.base[i], Float(pixels[i])) }
                i += step
            }
        }
    }
}
