import Playback

/// The functions of libsqlite3 that this program uses, with the types of sqlite3.h.
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

    /// - Throws: ``PlaybackError`` that names the package to install.
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
