/// A report that cannot be made. The text says which file is wrong, in which line, and what is wrong with it.
struct ReportError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
