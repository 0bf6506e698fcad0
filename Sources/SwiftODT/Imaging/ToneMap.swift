import Glibc

/// Makes of HDR signals the grey levels that a picture for ordinary screens would have, which is what networks have learnt from
/// and what motion is told by.
///
/// Up to three quarters of graphics white it is that of BT.2408 turned round: what was brought from an ordinary picture into HDR becomes
/// that picture again. What is brighter is pressed into the rest, the more the brighter. Each component by itself: rough, for colours
/// turn a little paler, and good enough to be recognised.
struct ToneMap {
    /// How many entries a level has: a step in the dark is half a level.
    private static let perLevel = 16
    /// 255 times ``perLevel``, and a place for 255 itself.
    static let count = 255 * perLevel + 1
    /// What a level has to be multiplied with to be a number of the table.
    static let scale = Float(perLevel)

    /// Levels of 0...255, by the signal.
    let levels: [Float]

    /// `nil` where signals are levels already.
    init?(_ transfer: ColorSpace.Transfer) {
        guard transfer != .gamma else { return nil }
        levels = (0..<Self.count).map { 255 * Self.picture(transfer.light(Float($0) / Float(Self.count - 1))) }
    }

    /// What a grey level of the HDR signal, 0...255 and between, becomes.
    func level(_ signal: Float) -> Float {
        levels[Int(min(max(signal, 0), 255) * Self.scale + 0.5)]
    }

    /// The signal of an ordinary screen, 0..<1, for light counted from graphics white.
    private static func picture(_ light: Float) -> Float {
        let signal = powf(light, 1 / 2.4)
        let knee: Float = 0.75
        guard signal > knee else { return signal }
        let above = (signal - knee) / (1 - knee)
        return knee + (1 - knee) * above / (1 + above)
    }
}

extension ToneMap {
    private static let perceptual = ToneMap(.pq)
    private static let hybrid = ToneMap(.hlg)

    /// The table of a transfer function, made when it is first asked for.
    static func of(_ transfer: ColorSpace.Transfer) -> ToneMap? {
        switch transfer {
        case .gamma: nil
        case .pq: perceptual
        case .hlg: hybrid
        }
    }
}
