import Glibc

/// Colours for texts on a terminal.
enum TerminalColor: Int {
    case red = 31
    case green = 32
    case yellow = 33

    /// Whether standard output is a terminal with colours. The variable `NO_COLOR` turns colours off (no-color.org).
    static let isUsed: Bool = {
        func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        return isatty(STDOUT_FILENO) != 0 && !["", "dumb"].contains(value("TERM")) && value("NO_COLOR").isEmpty
    }()

    /// Returns the text with the escape sequences of the colour, if colours are used.
    func text(_ text: String) -> String { Self.isUsed ? "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" : text }
}
