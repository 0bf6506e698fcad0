/// Which metadata is attached to buffers.
struct AttachedMeta: OptionSet, Sendable {
    let rawValue: UInt32
    static let roi = AttachedMeta(rawValue: 1 << 0)
    static let custom = AttachedMeta(rawValue: 1 << 1)
    static let analytics = AttachedMeta(rawValue: 1 << 2)

    /// All that this GStreamer knows.
    static let standard: AttachedMeta = AnalyticsLibrary.shared == nil ? [.roi, .custom] : [.roi, .custom, .analytics]
}

/// How messages carry the objects.
struct MessageFormat: OptionSet, Sendable {
    let rawValue: UInt32
    static let structure = MessageFormat(rawValue: 1 << 0)
    static let json = MessageFormat(rawValue: 1 << 1)
}
