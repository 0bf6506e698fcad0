@testable import SwiftODT

/// Paints the frames of a scene. Written to be fast without optimisation, because tests are built without.
final class MotionPainter {
    private let scene: MotionScene
    private var ground: [UInt8] = []
    private var groundShift = (Int.min, Int.min)
    private let chance: [Int16]
    private var place = 1

    init(_ scene: MotionScene) {
        self.scene = scene
        var state: UInt64 = 7
        chance = (0..<(scene.noise > 0 ? 1 << 15 : 0)).map { _ in
            // The sum of four uniform values is approximately normal.
            state &+= 0x9E37_79B9_7F4A_7C15
            let bits = Self.mix(state)
            let sum = (0..<4).reduce(0.0) { $0 + Double((bits >> ($1 * 16)) & 0xFFFF) / 65536 }
            return Int16(((sum - 2) * 1.732 * scene.noise).rounded())
        }
    }

    func paint(_ time: Double, into frame: Frame) {
        let row = frame.plane(0).base.assumingMemoryBound(to: UInt8.self)
        let pan = scene.pan(time)
        layGround(Int(pan.x.rounded()), Int(pan.y.rounded()))
        row.update(from: ground, count: ground.count)
        let placed = scene.shapes.compactMap { shape in shape.center(time).map { (shape, $0) } }
        for (shape, center) in placed where shape.shadow < 1 {
            fill(shape, center.x - shape.width * 0.8, center.y + 2) { i in row[i] = UInt8(Double(row[i]) * shape.shadow)
            }
        }
        for (shape, center) in placed { fill(shape, center.x, center.y) { i in row[i] = UInt8(shape.level) } }
        let gain = scene.gain(time)
        if gain != 1 {
            let levels = (0..<256).map { UInt8(min(max(Double($0) * gain, 0), 255)) }
            for i in 0..<ground.count { row[i] = levels[Int(row[i])] }
        }
        guard !chance.isEmpty else { return }
        place = place &* 48271 % 0x7FFF_FFFF
        var from = place & (1 << 15 - 1)
        for i in 0..<ground.count {
            row[i] = UInt8(min(max(Int16(row[i]) + chance[from], 0), 255))
            from = (from &+ 1) & (1 << 15 - 1)
        }
    }

    private func layGround(_ shiftX: Int, _ shiftY: Int) {
        guard groundShift != (shiftX, shiftY) else { return }
        groundShift = (shiftX, shiftY)
        ground = (0..<scene.height).flatMap { y in
            (0..<scene.width).map { x in scene.isTextured ? Self.texture(x + shiftX, y + shiftY) : 110 }
        }
    }

    private func fill(_ shape: MotionScene.Shape, _ centerX: Double, _ centerY: Double, _ body: (Int) -> Void) {
        let box = Box(centerX: centerX, centerY: centerY, width: shape.width, height: shape.height)
            .clipped(width: scene.width, height: scene.height)
        guard !box.isEmpty else { return }
        for y in Int(box.minY)..<min(scene.height, Int(box.maxY) + 1) {
            for x in Int(box.minX)..<min(scene.width, Int(box.maxX) + 1) {
                let dx = (Double(x) + 0.5 - centerX) / (shape.width / 2)
                let dy = (Double(y) + 0.5 - centerY) / (shape.height / 2)
                if shape.isRound ? dx * dx + dy * dy <= 1 : abs(dx) <= 1 && abs(dy) <= 1 { body(y * scene.width + x) }
            }
        }
    }

    private static func texture(_ x: Int, _ y: Int) -> UInt8 {
        let cell = ((x + 4096) / 6) &* 73_856_093 ^ ((y + 4096) / 6) &* 19_349_663
        return UInt8(90 + Int(mix(UInt64(bitPattern: Int64(cell))) >> 33) % 60 + y / 5)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
