/// The kinds of metadata attached to buffers.
struct AttachedMeta: OptionSet, Sendable {
    let rawValue: UInt32
    static let roi = AttachedMeta(rawValue: 1 << 0)
    static let custom = AttachedMeta(rawValue: 1 << 1)
    static let analytics = AttachedMeta(rawValue: 1 << 2)

    /// All kinds that the installed GStreamer supports.
    static let standard: AttachedMeta = AnalyticsLibrary.shared == nil ? [.roi, .custom] : [.roi, .custom, .analytics]
}

/// The representations of objects in messages.
struct MessageFormat: OptionSet, Sendable {
    let rawValue: UInt32
    static let structure = MessageFormat(rawValue: 1 << 0)
    static let json = MessageFormat(rawValue: 1 << 1)
}
