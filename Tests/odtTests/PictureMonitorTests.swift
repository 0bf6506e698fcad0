import ODTTestSupport
import SwiftODT
import Testing

@testable import odt

@Suite("PictureMonitor")
struct PictureMonitorTests {
    private var monitor = PictureMonitor(patience: 5_000_000_000)
    private var random = SeededGenerator(seed: 7)
    private var seconds: Nanoseconds = 0
    private static let (columns, rows) = (64, 36)

    /// Returns a picture of a scene with the noise of a camera.
    private mutating func scene(shift: Int = 0, brightness: Float = 1, noise: Bool = true) -> LumaThumbnail {
        LumaThumbnail(
            (0..<Self.rows * Self.columns).map { place in
                let (x, y) = (place % Self.columns + shift, place / Self.columns)
                // Blocks of 8 x 6 cells with brightness that does not repeat within the picture.
                let value = Float((x / 8 * 7919 + y / 6 * 104_729) % 211)
                return value * brightness + (noise ? Float.random(in: 0...2, using: &random) : 0)
            })
    }

    /// Takes pictures for a number of seconds.
    private mutating func take(_ count: Int, _ picture: (inout Self) -> LumaThumbnail) -> [CameraAlarm] {
        (0..<count).flatMap { _ in
            seconds += 1_000_000_000
            let picture = picture(&self)
            return monitor.take(picture, at: seconds)
        }
    }

    @Test mutating func usualSceneAndChangesOfLightAreGood() {
        #expect(take(30) { $0.scene() } == [])
        #expect(take(30) { $0.scene(brightness: 0.4) } == [])
    }

    @Test mutating func blackPictureIsCoveredAfterPatience() {
        _ = take(20) { $0.scene() }
        let black = LumaThumbnail([Float](repeating: 16, count: Self.rows * Self.columns))
        #expect(take(5) { _ in black } == [])
        #expect(take(20) { _ in black } == [.began(.covered)])
        #expect(take(2) { $0.scene() } == [])
        #expect(take(10) { $0.scene() } == [.ended(.covered)])
    }

    @Test mutating func identicalPicturesAreFrozen() {
        _ = take(20) { $0.scene() }
        #expect(take(20) { $0.scene(noise: false) } == [.began(.frozen)])
        #expect(take(10) { $0.scene() } == [.ended(.frozen)])
    }

    /// Another scene becomes the usual one after 600 s, but not before it is reported.
    @Test mutating func turnedCameraIsReportedWithLongPatience() {
        monitor = PictureMonitor(patience: 700_000_000_000)
        _ = take(20) { $0.scene() }
        #expect(take(710) { $0.scene(shift: 24) }.first == .began(.moved))
    }

    @Test mutating func briefProblemIsNotReported() {
        _ = take(20) { $0.scene() }
        #expect(take(4) { $0.scene(shift: 24) } == [])
        #expect(take(10) { $0.scene() } == [])
    }

    @Test mutating func turnedCameraIsReportedUntilSceneIsUsual() {
        _ = take(60) { $0.scene() }
        #expect(take(500) { $0.scene(shift: 24) } == [.began(.moved)])
        #expect(take(200) { $0.scene(shift: 24) } == [.ended(.moved)])
        #expect(take(20) { $0.scene() } == [.began(.moved)])
    }

    @Test mutating func anotherProblemReplacesTheFirst() {
        _ = take(20) { $0.scene() }
        _ = take(20) { $0.scene(noise: false) }
        let gray = LumaThumbnail([Float](repeating: 90, count: Self.rows * Self.columns))
        #expect(take(20) { _ in gray } == [.ended(.frozen), .began(.covered)])
    }

    @Test mutating func sizeOfFramesMayChange() {
        _ = take(20) { $0.scene() }
        let half = LumaThumbnail((0..<Self.columns * Self.rows / 2).map { Float($0 * 7919 % 211) })
        #expect(take(20) { _ in LumaThumbnail(half.cells.map { $0 + .random(in: 0...2) }) } == [])
    }

    @Test func brightnessOfFrame() {
        // A frame of 256 x 128 pixels, white in its right half.
        var pixels = (0..<128).flatMap { _ in [UInt8](repeating: 0, count: 128) + [UInt8](repeating: 255, count: 128) }
        let picture = pixels.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map {
                LumaThumbnail(Frame(format: .gray8, width: 256, height: 128, planes: [.init(base: $0, stride: 256)]))
            }
        }
        let line = [Float](repeating: 0, count: 64) + [Float](repeating: 255, count: 64)
        #expect(picture == LumaThumbnail((0..<64).flatMap { _ in line }))
        #expect(abs((picture?.contrast ?? 0) - 127.5) < 0.01)
    }
}
