import CGStreamer

/// GLib's fundamental types. In GLib they are macros, which Swift does not import.
extension GType {
    static let int = GType(6 << 2)
    static let uint = GType(7 << 2)
    static let boolean = GType(5 << 2)
    static let uint64 = GType(11 << 2)
    static let double = GType(15 << 2)
    static let string = GType(16 << 2)
}
