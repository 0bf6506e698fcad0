import Glibc

/// A per-pixel background model with noise estimation, for background subtraction.
///
/// A pixel is foreground if its smoothed difference from the background exceeds a threshold. The threshold depends on
/// the noise at the pixel. The background follows slow changes of light, except where an object covers it. To "absorb"
/// a pixel means to make its current value the background.
final class BackgroundModel {
    /// The class of a pixel, according to its difference from the background.
    enum Mark {
        static let background: UInt8 = 0
        /// The difference exceeds the threshold, possibly by chance.
        static let weak: UInt8 = 1
        /// The difference exceeds twice the threshold. Noise does not explain such a difference.
        static let strong: UInt8 = 3
    }

    /// The presumed cause of a foreground pixel.
    enum Cause {
        /// Noise or swaying vegetation.
        static let none: UInt8 = 0
        /// A possible object.
        static let object: UInt8 = 1
        /// A confirmed object. ``BackgroundModel/activity`` does not rise when a pixel of the object changes between
        /// foreground and background.
        static let confirmed: UInt8 = 2
        /// The shadow of a confirmed object. It does not raise ``BackgroundModel/activity``.
        static let shadow: UInt8 = 3

        static func isForeground(_ cause: UInt8) -> Bool { cause == object || cause == confirmed }
    }

    let width: Int
    let height: Int
    let level: PixelGrid<Float>
    /// The value of ``level`` before an object was absorbed. It is restored when the object leaves.
    let previous: PixelGrid<Float>
    /// The total time in seconds that the pixel has matched the background since ``level`` was last replaced.
    let seenFor: PixelGrid<Float>
    /// The moving average of the absolute value of ``smoothed`` while no object covers the pixel.
    let noise: PixelGrid<Float>
    /// An increment of the threshold in grey levels. It grows where the picture flickers or sways, and decays
    /// elsewhere.
    let activity: PixelGrid<Float>
    /// The background under the lighting of the current frame.
    let expected: PixelGrid<Float>
    /// The current frame minus ``expected``.
    let difference: PixelGrid<Float>
    /// ``difference``, smoothed over 3 × 3 pixels.
    let smoothed: PixelGrid<Float>
    /// The ``Mark`` of each pixel in the current frame.
    let marks: PixelGrid<UInt8>
    /// The moving average of ``smoothed`` while a foreground pixel does not change.
    let stillLevel: PixelGrid<Float>
    /// The time for which a foreground pixel has not changed, in seconds.
    let stillFor: PixelGrid<Float>

    /// The mean noise of the whole frame in grey levels, measured in ``smoothed``.
    private(set) var typicalNoise: Float = 1
    /// The mean noise of the whole frame in grey levels, measured in ``difference``.
    private(set) var typicalUnsmoothedNoise: Float = 2

    private let scratch: PixelGrid<Float>
    private let marksBefore: PixelGrid<UInt8>
    private let causesBefore: PixelGrid<UInt8>
    private var framesLearnt = 0

    /// The lower limit of the threshold, in grey levels.
    private static let minimumThreshold: Float = 9
    private static let noiseFactor: Float = 3.6
    /// The value of ``previous`` for a pixel without a former level. It differs from every grey level by more than any
    /// tolerance.
    private static let noLevel: Float = -10_000
    /// The upper limit of the time between two frames for ``learningTime``, in seconds. The limit prevents a complete
    /// change of the background after a long gap.
    private static let longestStep: Float = 1
    /// When an object is absorbed, ``level`` is kept in ``previous`` only if ``seenFor`` is at least this value, in
    /// seconds.
    private static let memorableAfter: Float = 3
    /// The former level of a foreground pixel is restored only if the pixel has not changed for this time, in seconds.
    /// A passing object may match the former level briefly.
    private static let recallAfter: Float = 0.15
    private static let firstNoise: Float = 1.5
    /// The time constant of background and noise, in seconds.
    private static let learningTime: Float = 2.5
    /// The time constant with which ``activity`` decays, in seconds.
    private static let calmingTime: Float = 8

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        func grid() -> PixelGrid<Float> { PixelGrid(width: width, height: height, filled: 0) }
        level = grid()
        previous = grid()
        seenFor = grid()
        noise = grid()
        activity = grid()
        expected = grid()
        difference = grid()
        smoothed = grid()
        stillLevel = grid()
        stillFor = grid()
        scratch = grid()
        marks = PixelGrid(width: width, height: height, filled: 0)
        marksBefore = PixelGrid(width: width, height: height, filled: 0)
        causesBefore = PixelGrid(width: width, height: height, filled: 0)
    }

    func restart(_ pixels: UnsafePointer<UInt8>) {
        let first = framesLearnt == 0 ? Self.firstNoise : max(Self.firstNoise, typicalNoise)
        for i in 0..<level.count { level.base[i] = Float(pixels[i]) }
        noise.fill(first)
        previous.fill(Self.noLevel)
        seenFor.fill(0)
        activity.fill(0)
        stillFor.fill(0)
        marks.fill(Mark.background)
        marksBefore.fill(Mark.background)
        causesBefore.fill(Cause.none)
        framesLearnt = 1
    }

    /// Returns the threshold of a pixel. If the absolute value of ``smoothed`` is higher, the pixel is foreground.
    func threshold(_ i: Int) -> Float {
        max(Self.minimumThreshold, Self.noiseFactor * max(noise.base[i], 0.7 * typicalNoise)) + activity.base[i]
    }

    func compare(_ pixels: UnsafePointer<UInt8>, light: LightChange) {
        let (level, expected, difference) = (level.base, expected.base, difference.base)
        let (gain, offset, count) = (light.gain, light.offset, self.level.count)
        var i = 0
        while i < count {
            let value = min(max(level[i] * gain + offset, 0), 255)
            expected[i] = value
            difference[i] = Float(pixels[i]) - value
            i &+= 1
        }
        smooth()
        mark()
    }

    /// Smooths ``difference`` with the separable kernel 1 2 1. Beyond the border, the border pixels are repeated.
    private func smooth() {
        let (width, height) = (width, height)
        for y in 0..<height {
            let from = difference.base + y * width
            let to = scratch.base + y * width
            let last = width - 1
            to[0] = 0.75 * from[0] + 0.25 * from[min(1, last)]
            var x = 1
            while x < last {
                to[x] = 0.25 * (from[x - 1] + from[x + 1]) + 0.5 * from[x]
                x &+= 1
            }
            if last > 0 { to[last] = 0.75 * from[last] + 0.25 * from[last - 1] }
        }
        for y in 0..<height {
            let above = scratch.base + max(y - 1, 0) * width
            let here = scratch.base + y * width
            let below = scratch.base + min(y + 1, height - 1) * width
            let to = smoothed.base + y * width
            var x = 0
            while x < width {
                to[x] = 0.25 * (above[x] + below[x]) + 0.5 * here[x]
                x &+= 1
            }
        }
    }

    private func mark() {
        let (smoothed, noise, activity, marks) = (smoothed.base, noise.base, activity.base, marks.base)
        let (minimum, factor, floor) = (Self.minimumThreshold, Self.noiseFactor, 0.7 * typicalNoise)
        let count = self.marks.count
        var i = 0
        while i < count {
            let threshold = max(minimum, factor * max(noise[i], floor)) + activity[i]
            let size = abs(smoothed[i])
            let weak: UInt8 = size > threshold ? 1 : 0
            let strong: UInt8 = size > 2 * threshold ? 2 : 0
            marks[i] = weak | strong
            i &+= 1
        }
    }

    /// Updates the model with the frame that was passed to ``compare(_:light:)``. `causes` is the ``Cause`` of each
    /// pixel. `elapsed` is the time since the previous frame, in seconds.
    func learn(_ pixels: UnsafePointer<UInt8>, causes: UnsafePointer<UInt8>, elapsed: Float) {
        framesLearnt += 1
        let step = min(elapsed, Self.longestStep)
        let share = max(1 - exp(-step / Self.learningTime), framesLearnt < 30 ? 1 / Float(framesLearnt) : 0)
        let calm = exp(-elapsed / Self.calmingTime)
        let (level, expected) = (level.base, expected.base)
        let (noise, activity) = (noise.base, activity.base)
        let (smoothed, marks, marksBefore, causesBefore) = (
            smoothed.base, marks.base, marksBefore.base, causesBefore.base
        )
        let (stillLevel, stillFor, seenFor) = (stillLevel.base, stillFor.base, seenFor.base)
        let count = self.level.count
        var i = 0
        while i < count {
            let isCovered = marks[i] != 0
            let cause = causes[i]
            let isObject = Cause.isForeground(cause)
            let size = abs(smoothed[i])
            // Behind objects, only changes of the lighting update the background. The background therefore still
            // matches the scene when the object has left. Foreground without an object updates the background at a
            // quarter of the usual rate.
            let rate: Float = isObject ? 0 : (isCovered ? 0.25 * share : share)
            level[i] += rate * (Float(pixels[i]) - level[i]) + (share - rate) * (expected[i] - level[i])
            noise[i] += rate * (min(size, 20) - noise[i])
            let hasFlipped = (marks[i] & 1) != (marksBefore[i] & 1)
            let isExplained = max(cause, causesBefore[i]) >= Cause.confirmed
            let jump: Float = hasFlipped ? (isExplained ? 0 : isObject ? 0.25 : 2) : 0
            activity[i] = min(activity[i] * calm + jump, 40)
            let near = abs(smoothed[i] - stillLevel[i]) < max(8, 0.35 * size)
            stillFor[i] = isCovered && near ? stillFor[i] + elapsed : 0
            stillLevel[i] = near ? stillLevel[i] + 0.2 * (smoothed[i] - stillLevel[i]) : smoothed[i]
            seenFor[i] += isCovered ? 0 : elapsed
            marksBefore[i] = marks[i]
            causesBefore[i] = cause
            i &+= 1
        }
        measureNoise()
    }

    /// Makes the current value of a pixel the background. The former level is kept in ``previous`` if it was stable.
    func absorb(_ i: Int, _ pixel: UInt8) {
        if seenFor.base[i] >= Self.memorableAfter { previous.base[i] = level.base[i] }
        seenFor.base[i] = 0
        replace(i, Float(pixel))
    }

    /// Restores the former background of pixels that match this background again: the absorbed object has left.
    func recall(_ pixels: UnsafePointer<UInt8>, light: LightChange) {
        let bearable = max(Self.minimumThreshold, 3 * typicalUnsmoothedNoise)
        let count = marks.count
        var i = 0
        while i < count {
            if marks.base[i] != Mark.background, previous.base[i] != Self.noLevel, stillFor.base[i] >= Self.recallAfter
            {
                let value = min(max(previous.base[i] * light.gain + light.offset, 0), 255)
                if abs(Float(pixels[i]) - value) < bearable {
                    replace(i, previous.base[i])
                    previous.base[i] = Self.noLevel
                    seenFor.base[i] = Self.memorableAfter
                }
            }
            i &+= 1
        }
    }

    private func replace(_ i: Int, _ value: Float) {
        level.base[i] = value
        noise.base[i] = max(noise.base[i], typicalNoise)
        stillFor.base[i] = 0
        activity.base[i] = 0
        marks.base[i] = Mark.background
    }

    private func measureNoise() {
        var (count, sum, plain): (Float, Float, Float) = (0, 0, 0)
        var i = 0
        while i < marks.count {
            if marks.base[i] == Mark.background {
                count += 1
                sum += abs(smoothed.base[i])
                plain += abs(difference.base[i])
            }
            i += 7
        }
        guard count > 0 else { return }
        typicalNoise += 0.1 * (sum / count - typicalNoise)
        typicalUnsmoothedNoise += 0.1 * (plain / count - typicalUnsmoothedNoise)
    }
}
