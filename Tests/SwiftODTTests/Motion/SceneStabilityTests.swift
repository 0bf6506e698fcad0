import Testing

@testable import SwiftODT

/// Tests the suppression of detections while the camera moves or the scene changes.
@Suite struct SceneStabilityTests {
    private static let (width, height) = (96, 64)

    /// Returns a background with many edges, shifted by `shift` pixels.
    private static func ground(shift: Int = 0) -> [UInt8] {
        DrawnGrid.pixels(width: width, height: height) { x, y in ((x + shift) / 8 + y / 8) % 2 == 0 ? 70 : 170 }
    }

    private static func withSquare() -> [UInt8] {
        let ground = ground()
        return DrawnGrid.pixels(width: width, height: height) { x, y in
            (20..<40).contains(x) && (20..<40).contains(y) ? 20 : Int(ground[y * width + x])
        }
    }

    private func judge(_ watch: inout SceneStability, _ background: BackgroundModel, _ frame: [UInt8])
        -> SceneStability.Verdict
    {
        background.compare(frame, light: LightChange())
        return watch.judge(background, elapsed: 0.1)
    }

    @Test func sceneBecomesSteadyAfterSettlingTime() {
        let background = DrawnGrid.background(Self.ground(), width: Self.width)
        var watch = SceneStability()
        let verdicts = (0..<8).map { _ in judge(&watch, background, Self.ground()) }
        #expect(verdicts.prefix(3).allSatisfy { $0 == .settling })
        #expect(verdicts.suffix(3).allSatisfy { $0 == .steady })
    }

    @Test func movingObjectKeepsSceneSteady() {
        let background = DrawnGrid.background(Self.ground(), width: Self.width)
        var watch = SceneStability()
        for _ in 0..<8 { _ = judge(&watch, background, Self.ground()) }
        #expect(judge(&watch, background, Self.withSquare()) == .steady)
    }

    @Test func movingCameraChangesScene() {
        let background = DrawnGrid.background(Self.ground(), width: Self.width)
        var watch = SceneStability()
        for _ in 0..<8 { _ = judge(&watch, background, Self.ground()) }
        #expect(judge(&watch, background, Self.ground(shift: 4)) == .changed)
    }

    /// Returns the background with a spot in each cell of a 6 x 4 grid; a spot and its surroundings cover 1/30 of a
    /// cell.
    private static func spotted(columns: Int) -> [UInt8] {
        let ground = ground()
        return DrawnGrid.pixels(width: width, height: height) { x, y in
            x % 16 == 7 && y % 16 == 8 && x < 16 * columns ? 255 : Int(ground[y * width + x])
        }
    }

    /// Small differences in all cells mean an outdated background; small differences in a few cells do not.
    @Test(arguments: [(6, SceneStability.Verdict.drifting), (2, .settling)])
    func widespreadWearIsCameraDrift(_ columns: Int, _ verdict: SceneStability.Verdict) {
        let background = DrawnGrid.background(Self.ground(), width: Self.width)
        var watch = SceneStability()
        #expect(judge(&watch, background, Self.spotted(columns: columns)) == verdict)
    }
}
