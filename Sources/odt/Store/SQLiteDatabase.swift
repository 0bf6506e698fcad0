import Playback

/// An SQLite database file. Use from one thread at a time.
final class SQLiteDatabase {
    enum Access: Int32 {
        case read = 0x1
        case write = 0x6
    }

    /// The time to wait for locks of other processes, in milliseconds.
    private static let busyTimeout: Int32 = 3_000

    let library: SQLiteLibrary
    private let handle: SQLiteLibrary.Database

    /// - Throws: ``SQLiteError`` if the file cannot be opened.
    init(_ path: String, for access: Access, _ library: SQLiteLibrary) throws {
        self.library = library
        var handle: SQLiteLibrary.Database?
        let code = PathText.withSystemPath(path) { library.open($0, &handle, access.rawValue, nil) }
        guard let handle else { throw SQLiteError(code: code, description: "out of memory") }
        self.handle = handle
        guard code == 0 else { throw error(code) }
        _ = library.setBusyTimeout(handle, Self.busyTimeout)
    }

    deinit { _ = library.close(handle) }

    /// Executes one or more SQL statements.
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

    /// Returns the integer in the first column of the first row; 0 if there is no row.
    func figure(_ sql: String) throws -> Int64 {
        let statement = try prepare(sql)
        return try statement.next() ? statement.integer(0) : 0
    }

    var lastRow: Int64 { library.lastRow(handle) }

    fileprivate func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, description: library.message(handle).map { String(cString: $0) } ?? "error \(code)")
    }
}

/// A value to bind to a parameter of a statement.
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

/// A prepared statement that can be executed repeatedly.
final class SQLiteStatement {
    private static let (row, done): (Int32, Int32) = (100, 101)
    /// `SQLITE_TRANSIENT`: SQLite copies bound texts.
    private static let isCopied = -1

    private let database: SQLiteDatabase
    private let handle: SQLiteLibrary.Statement
    private var library: SQLiteLibrary { database.library }

    fileprivate init(_ handle: SQLiteLibrary.Statement, of database: SQLiteDatabase) {
        (self.handle, self.database) = (handle, database)
    }

    deinit { _ = library.finish(handle) }

    /// Executes the statement with these parameters.
    func run(_ values: [SQLiteValue] = []) throws {
        try begin(values)
        defer { _ = library.reset(handle) }
        while try next() {}
    }

    /// Starts a query with these parameters. ``next()`` returns its rows.
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

    /// - Returns: Whether there is another row.
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
