/// A report cannot be made. The description names the file, the line and the problem.
struct ReportError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
