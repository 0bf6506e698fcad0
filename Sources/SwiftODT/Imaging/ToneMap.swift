import Glibc

/// Maps HDR signals to the grey levels of standard dynamic range (SDR), for which networks are trained and motion
/// detection is designed.
///
/// Up to an SDR signal of 0.75, this is the inverse of the SDR-to-HDR mapping of BT.2408, so SDR content that was
/// converted to HDR is restored. Brighter signals are compressed into the remaining range. Each component is mapped
/// separately, which makes bright colours slightly less saturated.
struct ToneMap {
    /// The number of table entries per signal level. In dark areas, the SDR level differs by up to half a level from
    /// one entry to the next.
    private static let perLevel = 16
    /// The number of table entries: ``perLevel`` entries for each of 255 levels, and one entry for level 255.
    static let count = 255 * perLevel + 1
    /// The factor that converts a signal level to a table index.
    static let scale = Float(perLevel)

    /// The SDR level, 0 to 255, for each HDR signal level from 0 to 255 in steps of 1 / ``perLevel``.
    let levels: [Float]

    /// Returns `nil` for a transfer function that needs no mapping.
    init?(_ transfer: ColorSpace.Transfer) {
        guard transfer != .gamma else { return nil }
        levels = (0..<Self.count).map { 255 * Self.picture(transfer.light(Float($0) / Float(Self.count - 1))) }
    }

    /// Returns the SDR level for an HDR signal level. Both are from 0 to 255 and may be fractional.
    func level(_ signal: Float) -> Float {
        levels[Int(min(max(signal, 0), 255) * Self.scale + 0.5)]
    }

    /// Returns the SDR signal, 0 to below 1, for light relative to graphics white.
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

    /// Returns the tone map for a transfer function, or `nil` if the function needs none. The table is computed at the
    /// first use.
    static func of(_ transfer: ColorSpace.Transfer) -> ToneMap? {
        switch transfer {
        case .gamma: nil
        case .pq: perceptual
        case .hlg: hybrid
        }
    }
}
