/// An event that is posted as a message of its own.
protocol EventReport: Sendable {
    static var message: String { get }
    var fields: [(name: String, value: FieldValue)] { get }
    /// A description for the log.
    var summary: String { get }
}
