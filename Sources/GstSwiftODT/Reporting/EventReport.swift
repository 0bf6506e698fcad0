/// What is said of something that happened, in a message of its own.
protocol EventReport: Sendable {
    static var message: String { get }
    var fields: [(name: String, value: FieldValue)] { get }
    /// For a log.
    var summary: String { get }
}
