import ODTPlayback
import SwiftODT

/// An SQLite database file. Use it from only one thread at a time.
final class SQLiteDatabase {
    /// The flags of `sqlite3_open_v2`.
    enum Access: Int32 {
        case read = 0x1
        case write = 0x6
        /// Reads a file that no process writes. Needs no lock and no other file.
        case readImmutable = 0x41
    }

    /// The maximum time to wait for locks of other processes, in milliseconds.
    private static let busyTimeout: Int32 = 3_000

    let library: SQLiteLibrary
    private let handle: SQLiteLibrary.Database

    init(_ path: String, for access: Access, _ library: SQLiteLibrary) throws {
        self.library = library
        var handle: SQLiteLibrary.Database?
        let code = PathText.withSystemPath(Self.name(of: path, for: access)) {
            library.open($0, &handle, access.rawValue, nil)
        }
        guard let handle else { throw SQLiteError(code: code, description: "out of memory") }
        self.handle = handle
        guard code == 0 else { throw error(code) }
        _ = library.setBusyTimeout(handle, Self.busyTimeout)
    }

    deinit { _ = library.close(handle) }

    /// Returns the name of a file for `sqlite3_open_v2`.
    static func name(of path: String, for access: Access) -> String {
        guard access == .readImmutable else {
            // Such names have a special meaning to SQLite.
            return path.hasPrefix(":") || path.hasPrefix("file:") ? "./" + path : path
        }
        return "file:" + (path.hasPrefix("/") ? "//" : "") + PercentEscapes.encoded(path, keeping: "/") + "?immutable=1"
    }

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

    /// Returns the integer in the first column of the first row of a query's result; 0 if there is no row.
    func figure(_ sql: String) throws -> Int64 {
        let statement = try prepare(sql)
        return try statement.next() ? statement.integer(0) : 0
    }

    var lastRow: Int64 { library.lastRow(handle) }

    fileprivate func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, description: library.message(handle).map { String(cString: $0) } ?? "error \(code)")
    }
}

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

final class SQLiteStatement {
    private static let (row, done): (Int32, Int32) = (100, 101)
    /// The value of `SQLITE_TRANSIENT`, with which SQLite copies the texts of parameters.
    private static let isCopied = -1

    private let database: SQLiteDatabase
    private let handle: SQLiteLibrary.Statement
    private var library: SQLiteLibrary { database.library }

    fileprivate init(_ handle: SQLiteLibrary.Statement, of database: SQLiteDatabase) {
        (self.handle, self.database) = (handle, database)
    }

    deinit { _ = library.finish(handle) }

    func run(_ values: [SQLiteValue] = []) throws {
        try begin(values)
        defer { _ = library.reset(handle) }
        while try next() {}
    }

    /// Starts a query with these values for its parameters. Each call of ``next()`` then moves to the next row.
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

    /// Moves to the next row and returns whether there is one.
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

struct SQLiteError: Error, CustomStringConvertible {
    let code: Int32
    let description: String

    /// The primary result code, without the details in the upper bytes of `code`.
    var primaryCode: Int32 { code & 0xFF }
    var isDamage: Bool { [11, 26].contains(primaryCode) }
}

/// The functions of libsqlite3 that this program uses, with the types of `sqlite3.h`.
///
/// `@unchecked Sendable`: function pointers are immutable.
struct SQLiteLibrary: @unchecked Sendable {
    typealias Database = OpaquePointer
    typealias Statement = OpaquePointer

    let open:
        @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Database?>, Int32, UnsafePointer<CChar>?) -> Int32
    let close: @convention(c) (Database) -> Int32
    let setBusyTimeout: @convention(c) (Database, Int32) -> Int32
    let message: @convention(c) (Database) -> UnsafePointer<CChar>?
    let execute:
        @convention(c) (
            Database, UnsafePointer<CChar>, OpaquePointer?, OpaquePointer?, OpaquePointer?
        ) -> Int32
    let prepare:
        @convention(c) (
            Database, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<Statement?>, OpaquePointer?
        ) -> Int32
    let finish: @convention(c) (Statement) -> Int32
    let step: @convention(c) (Statement) -> Int32
    let reset: @convention(c) (Statement) -> Int32
    let bindInteger: @convention(c) (Statement, Int32, Int64) -> Int32
    let bindReal: @convention(c) (Statement, Int32, Double) -> Int32
    let bindText: @convention(c) (Statement, Int32, UnsafePointer<CChar>, Int32, Int) -> Int32
    let bindNull: @convention(c) (Statement, Int32) -> Int32
    let kind: @convention(c) (Statement, Int32) -> Int32
    let integer: @convention(c) (Statement, Int32) -> Int64
    let real: @convention(c) (Statement, Int32) -> Double
    let text: @convention(c) (Statement, Int32) -> UnsafePointer<UInt8>?
    let lastRow: @convention(c) (Database) -> Int64

    init() throws {
        let library = try SharedLibrary("libsqlite3.so.0", package: "libsqlite3-0", for: "--store")
        open = try library.function("sqlite3_open_v2")
        close = try library.function("sqlite3_close_v2")
        setBusyTimeout = try library.function("sqlite3_busy_timeout")
        message = try library.function("sqlite3_errmsg")
        execute = try library.function("sqlite3_exec")
        prepare = try library.function("sqlite3_prepare_v2")
        finish = try library.function("sqlite3_finalize")
        step = try library.function("sqlite3_step")
        reset = try library.function("sqlite3_reset")
        bindInteger = try library.function("sqlite3_bind_int64")
        bindReal = try library.function("sqlite3_bind_double")
        bindText = try library.function("sqlite3_bind_text")
        bindNull = try library.function("sqlite3_bind_null")
        kind = try library.function("sqlite3_column_type")
        integer = try library.function("sqlite3_column_int64")
        real = try library.function("sqlite3_column_double")
        text = try library.function("sqlite3_column_text")
        lastRow = try library.function("sqlite3_last_insert_rowid")
    }
}
