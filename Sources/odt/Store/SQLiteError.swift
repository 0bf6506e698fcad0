/// An SQLite error with its result code and message.
struct SQLiteError: Error, CustomStringConvertible {
    enum Kind {
        case locked, full, damaged, missing, other
    }

    let code: Int32
    let description: String

    var kind: Kind {
        // The lower byte is the primary result code; the upper bytes are details.
        switch code & 0xFF {
        case 5, 6: .locked
        case 10, 13: .full
        case 11, 26: .damaged
        case 14: .missing
        default: .other
        }
    }
}
