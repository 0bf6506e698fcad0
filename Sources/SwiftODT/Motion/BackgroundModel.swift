import Glibc

/// What the scene looks like when nothing moves, and how restless each place is: learnt pixel by pixel while watching.
///
/// A pixel is told from its background by the smoothed difference, measured against the noise of its own place. The
/// background follows slow changes of light; where something stands in front of it, it waits.
final class BackgroundModel {
    /// What a pixel was found to be.
    enum Mark {
        static let background: UInt8 = 0
        /// It differs, perhaps by chance.
        static let weak: UInt8 = 1
        /// It differs by more than chance explains.
        static let strong: UInt8 = 3
    }

    /// What a marked pixel is put down to.
    enum Cause {
        /// Chance, or what sways.
        static let none: UInt8 = 0
        /// What may be a thing.
        static let object: UInt8 = 1
        /// What has proved to be one: its coming and going makes no place restless.
        static let confirmed: UInt8 = 2
        /// The shadow of that, which does not do so either.
        static let shadow: UInt8 = 3

        static func isForeground(_ cause: UInt8) -> Bool { cause == object || cause == confirmed }
    }

    let width: Int
    let height: Int
    /// The background's grey level.
    let level: PixelGrid<Float>
    /// What ``level`` was before something was absorbed: it may come to light again.
    let previous: PixelGrid<Float>
    /// For how many seconds ``level`` has been what is seen.
    let seenFor: PixelGrid<Float>
    /// The mean size of ``smoothed`` where nothing is.
    let noise: PixelGrid<Float>
    /// What is added to the threshold of places that flicker or sway.
    let activity: PixelGrid<Float>
    /// What the background looks like in the light of the present frame.
    let expected: PixelGrid<Float>
    /// The present frame less ``expected``.
    let difference: PixelGrid<Float>
    /// The same, smoothed over 3 x 3 pixels.
    let smoothed: PixelGrid<Float>
    /// The present frame's ``Mark`` of each pixel.
    let marks: PixelGrid<UInt8>
    /// The smoothed difference that a covered pixel shows for ``stillFor`` seconds now.
    let stillLevel: PixelGrid<Float>
    /// For how many seconds a covered pixel has not changed.
    let stillFor: PixelGrid<Float>

    /// The noise of the picture as a whole, of the smoothed and of the plain difference.
    private(set) var typicalNoise: Float = 1
    private(set) var typicalUnsmoothedNoise: Float = 2

    private let scratch: PixelGrid<Float>
    private let marksBefore: PixelGrid<UInt8>
    private let causesBefore: PixelGrid<UInt8>
    private var framesLearnt = 0

    /// Smallest difference that counts, in grey levels.
    private static let minimumThreshold: Float = 9
    /// Differences above so many times the noise count.
    private static let noiseFactor: Float = 3.6
    /// A former level that no pixel comes near to.
    private static let noLevel: Float = -10_000
    /// Seconds after which a level is worth remembering.
    private static let memorableAfter: Float = 3
    /// Seconds for which a former level has to be seen to be believed in; something that passes by may look like it.
    private static let recallAfter: Float = 0.15
    private static let firstNoise: Float = 1.5
    /// Seconds in which the background follows what it sees.
    private static let learningTime: Float = 2.5
    /// Seconds in which places calm down.
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

    /// Takes the frame for the empty scene and starts to learn anew.
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

    /// The smoothed difference from which on a pixel counts as covered.
    func threshold(_ i: Int) -> Float {
        max(Self.minimumThreshold, Self.noiseFactor * max(noise.base[i], 0.7 * typicalNoise)) + activity.base[i]
    }

    /// Compares a frame with the background under the given light and marks every pixel.
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

    /// Weighs each difference with its neighbours' 1 2 1, across and down; at the borders the last pixel stands for the next.
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

    /// Learns from the frame just compared.
    /// - Parameters:
    ///   - causes: what each pixel's mark is put down to, see ``Cause``; behind a thing the background waits.
    ///   - elapsed: seconds since the frame before.
    func learn(_ pixels: UnsafePointer<UInt8>, causes: UnsafePointer<UInt8>, elapsed: Float) {
        framesLearnt += 1
        let share = max(1 - exp(-elapsed / Self.learningTime), framesLearnt < 30 ? 1 / Float(framesLearnt) : 0)
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
            // Empty places are learnt at full speed, specks that nothing explains slowly. What an object covers only follows
            // the light, so that it fits when it comes to light again.
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

    /// Takes a covered pixel's present look for background from now on, and remembers what was there.
    func absorb(_ i: Int, _ pixel: UInt8) {
        if seenFor.base[i] >= Self.memorableAfter { previous.base[i] = level.base[i] }
        seenFor.base[i] = 0
        replace(i, Float(pixel))
    }

    /// Goes back to the former background where that is what is seen again: an absorbed object has left.
    func recall(_ pixels: UnsafePointer<UInt8>, light: LightChange) {
        let bearable = max(Self.minimumThreshold, 3 * typicalUnsmoothedNoise)
        let count = marks.count
        var i = 0
        while i < count {
            if marks.base[i] != Mark.background, previous.base[i] != Self.noLevel, stillFor.base[i] >= Self.recallAfter {
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

    /// Means over a sample of the empty places.
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
