/// The kinds of metadata that the element attaches to buffers.
struct AttachedMeta: OptionSet, Sendable {
    let rawValue: UInt32
    static let roi = AttachedMeta(rawValue: 1 << 0)
    static let custom = AttachedMeta(rawValue: 1 << 1)
    static let analytics = AttachedMeta(rawValue: 1 << 2)

    /// All kinds of metadata that the installed GStreamer supports.
    static let standard: AttachedMeta = AnalyticsLibrary.shared == nil ? [.roi, .custom] : [.roi, .custom, .analytics]
}

/// The representation of objects in messages.
struct MessageFormat: OptionSet, Sendable {
    let rawValue: UInt32
    static let structure = MessageFormat(rawValue: 1 << 0)
    static let json = MessageFormat(rawValue: 1 << 1)
}
