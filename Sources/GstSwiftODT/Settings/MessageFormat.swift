/// How messages carry the objects.
struct MessageFormat: OptionSet, Sendable {
    let rawValue: UInt32
    static let structure = MessageFormat(rawValue: 1 << 0)
    static let json = MessageFormat(rawValue: 1 << 1)
}
