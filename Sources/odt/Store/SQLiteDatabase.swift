import Playback

/// A database in a file. Belongs to one thread at a time.
final class SQLiteDatabase {
    enum Access: Int32 {
        case read = 0x1
        case write = 0x6
    }

    /// Others have so long to let go of the file, in milliseconds.
    private static let busyTimeout: Int32 = 3_000

    let library: SQLiteLibrary
    private let handle: SQLiteLibrary.Database

    /// - Throws: ``SQLiteError`` where there is no such file, or no room.
    init(_ path: String, for access: Access, _ library: SQLiteLibrary) throws {
        self.library = library
        var handle: SQLiteLibrary.Database?
        let code = PathText.withSystemPath(path) { library.open($0, &handle, access.rawValue, nil) }
        guard let handle else { throw SQLiteError(code: code, description: "no memory is left") }
        self.handle = handle
        guard code == 0 else { throw error(code) }
        _ = library.setBusyTimeout(handle, Self.busyTimeout)
    }

    deinit { _ = library.close(handle) }

    /// Does what one or more statements say.
    func execute(_ sql: String) throws {
        let code = library.execute(handle, sql, nil, nil, nil)
        guard code == 0 else { throw error(code) }
    }

    func prepare(_ sql: String) throws -> SQLiteStatement {
        var statement: SQLiteLibrary.Statement?
        let code = library.prepare(handle, sql, -1, &statement, nil)
        guard code == 0, let statement else { throw error(code) }
        return SQLiteStatement(statement, of: self)
    }

    /// The first figure of the answer; 0 where there is none.
    func figure(_ sql: String) throws -> Int64 {
        let statement = try prepare(sql)
        return try statement.next() ? statement.integer(0) : 0
    }

    var lastRow: Int64 { library.lastRow(handle) }

    fileprivate func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, description: library.message(handle).map { String(cString: $0) } ?? "error \(code)")
    }
}

/// What is put into a row, or asked for.
enum SQLiteValue {
    case integer(Int64)
    case real(Double)
    case text(String)
    case null

    init(_ number: Int64?) { self = number.map(SQLiteValue.integer) ?? .null }
    init(_ number: Int) { self = .integer(Int64(number)) }
    init(_ number: Double?) { self = number.map(SQLiteValue.real) ?? .null }
    init(_ text: String?) { self = text.map(SQLiteValue.text) ?? .null }
}

/// A statement that is read once and done often.
final class SQLiteStatement {
    private static let (row, done): (Int32, Int32) = (100, 101)
    /// `SQLITE_TRANSIENT`: texts are copied.
    private static let isCopied = -1

    private let database: SQLiteDatabase
    private let handle: SQLiteLibrary.Statement
    private var library: SQLiteLibrary { database.library }

    fileprivate init(_ handle: SQLiteLibrary.Statement, of database: SQLiteDatabase) {
        (self.handle, self.database) = (handle, database)
    }

    deinit { _ = library.finish(handle) }

    /// Does it with these values.
    func run(_ values: [SQLiteValue] = []) throws {
        try begin(values)
        defer { _ = library.reset(handle) }
        while try next() {}
    }

    /// Asks with these values; rows come by ``next()``.
    func begin(_ values: [SQLiteValue]) throws {
        _ = library.reset(handle)
        for (place, value) in values.enumerated() {
            let number = Int32(place + 1)
            let code =
                switch value {
                case .integer(let value): library.bindInteger(handle, number, value)
                case .real(let value): library.bindReal(handle, number, value)
                case .text(let value): library.bindText(handle, number, value, -1, Self.isCopied)
                case .null: library.bindNull(handle, number)
                }
            guard code == 0 else { throw database.error(code) }
        }
    }

    /// - Returns: whether there is a row to be read.
    func next() throws -> Bool {
        let code = library.step(handle)
        guard code == Self.row || code == Self.done else {
            defer { _ = library.reset(handle) }
            throw database.error(code)
        }
        return code == Self.row
    }

    func isNull(_ column: Int32) -> Bool { library.kind(handle, column) == 5 }
    func integer(_ column: Int32) -> Int64 { library.integer(handle, column) }
    func real(_ column: Int32) -> Double { library.real(handle, column) }
    func text(_ column: Int32) -> String { library.text(handle, column).map { String(cString: $0) } ?? "" }
}
