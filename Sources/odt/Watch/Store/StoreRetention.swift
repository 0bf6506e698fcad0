import ODTPlayback
import SwiftODT

/// Deletes rows that are too old and, if the database is too large, the oldest rows. Returns the space of deleted rows
/// to the file system.
struct StoreRetention {
    /// The interval in nanoseconds at which the ages of rows are checked.
    private static let interval: Nanoseconds = 60_000_000_000
    private static let tables = ["result", "box", "zone_event", "zone_count", "track", "segment", "clip", "alarm"]
    /// The divisor of a deletion step: each step deletes 1/20 of all rows.
    private static let stepsOfAll = 20

    private let days: Int?
    private let size: Int?
    /// The size of a page of the database in bytes.
    private let pageSize: Int64
    /// The maximum number of pages in the write-ahead log before a checkpoint.
    private let pagesUnderWay: Int64
    /// The monotonic time of the latest check of ages.
    private var lastCleaned: Nanoseconds?
    private var clockCheck = WallClockCheck()

    init(_ options: StoreOptions, _ database: SQLiteDatabase) throws {
        (days, size) = (options.days, options.size)
        let pageSize = max(512, try database.figure("PRAGMA page_size"))
        self.pageSize = pageSize
        // The write-ahead log counts toward the size limit, so it is kept small.
        pagesUnderWay = options.size.map { min(max(Int64($0) / 32 / pageSize, 8), 1_000) } ?? 1_000
        try database.execute(
            "PRAGMA wal_autocheckpoint = \(pagesUnderWay); PRAGMA journal_size_limit = \(pagesUnderWay * pageSize)")
    }

    /// Applies the limits and returns whether rows may have been deleted. If nothing has to be deleted, this costs one
    /// query.
    ///
    /// - Parameters:
    ///   - now: The monotonic time.
    ///   - wall: The wall-clock time since 1970.
    mutating func keep(_ database: SQLiteDatabase, now: Nanoseconds, wall: Nanoseconds) throws -> Bool {
        var hasDeleted = false
        if let size { hasDeleted = try shrink(database, to: Int64(size)) }
        if let lastCleaned, now - lastCleaned < Self.interval { return hasDeleted }
        lastCleaned = now
        let isImplausible = clockCheck.isImplausible(wall: wall, steady: now)
        guard let days, !isImplausible else { return hasDeleted }
        try delete(before: wall / 1_000_000 - Int64(days) * 86_400_000, in: database)
        try vacuum(database)
        return true
    }

    /// Deletes the oldest rows if the database exceeds three quarters of `size` (in bytes), until it uses less than
    /// five eighths. Returns whether rows may have been deleted.
    private func shrink(_ database: SQLiteDatabase, to size: Int64) throws -> Bool {
        // The last quarter of the limit is reserved for the write-ahead log.
        guard try database.figure("PRAGMA page_count") * pageSize > size / 4 * 3 else { return false }
        for _ in 0..<Self.stepsOfAll * 2 {
            let used = try database.figure("PRAGMA page_count") - database.figure("PRAGMA freelist_count")
            guard used * pageSize > size / 8 * 5 else { break }
            guard let time = try end(ofOldestIn: database) else { break }
            try delete(before: time.adding(1), in: database)
            try vacuum(database)
        }
        try vacuum(database)
        return true
    }

    /// Returns the time that separates the oldest 1/20 of all rows from the others. The time is found by counting rows
    /// and not by interpolation, because a wrong clock may have produced arbitrary times. Rows of `box` are not
    /// counted, because each belongs to a row of `result`. All other tables are counted, because a database may contain
    /// no results.
    private func end(ofOldestIn database: SQLiteDatabase) throws -> Int64? {
        let tables = Self.tables.filter { $0 != "box" }
        let times = (tables.map { "SELECT time FROM \($0)" } + ["SELECT ended FROM session"])
            .joined(separator: " UNION ALL ")
        let statement = try database.prepare(
            "SELECT time FROM (\(times)) ORDER BY time LIMIT 1 OFFSET (SELECT count(*) FROM (\(times))) / \(Self.stepsOfAll)"
        )
        return try statement.next() ? statement.integer(0) : nil
    }

    /// Deletes the rows before a time in milliseconds since 1970.
    private func delete(before time: Int64, in database: SQLiteDatabase) throws {
        do {
            try database.execute("BEGIN IMMEDIATE")
            for table in Self.tables { try database.execute("DELETE FROM \(table) WHERE time < \(time)") }
            try database.execute("DELETE FROM session WHERE ended < \(time)")
            try database.execute("COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
    }

    /// Vacuums in small steps, because each page that the vacuum moves is also written to the write-ahead log.
    private func vacuum(_ database: SQLiteDatabase) throws {
        var free = try database.figure("PRAGMA freelist_count")
        while free > 0 {
            try database.execute("PRAGMA incremental_vacuum(\(pagesUnderWay))")
            let left = try database.figure("PRAGMA freelist_count")
            guard left < free else { return }
            free = left
        }
    }
}

struct StoreOptions: Sendable {
    static let names: Set<String> = ["store", "store-days", "store-size"]
    static let help = """
          --store FILE       store tracks, events, counts and boxes in an SQLite database for 'odt report --store'
          --store-days DAYS  delete rows that are older than DAYS, 0 to 36,500; 0 keeps all (default: \(usualDays))
          --store-size SIZE  delete the oldest rows while the database exceeds SIZE: 500M, 20G (default: no limit)
        """
    private static let usualDays = 30
    /// The smallest accepted size limit in bytes. With a smaller limit, each deletion would remove nearly all rows.
    private static let minimumSize = 1 << 20

    let path: String
    /// The maximum age of rows in days; `nil` for no limit.
    let days: Int?
    /// The maximum size of the database in bytes; `nil` for no limit.
    let size: Int?

    /// - Returns: `nil` if `--store` is not given.
    init?(_ options: WatchOptions) throws {
        try options.refuse(Self.names, without: "store")
        guard let path = options.text("store") else { return nil }
        guard !path.isEmpty, path != "-" else {
            throw PlaybackError("\(options.called("store")) needs a file name", isUsage: true)
        }
        self.path = path
        let text = options.text("store-days")
        guard let days = text.map({ Int($0) }) ?? Self.usualDays, (0...36_500).contains(days) else {
            throw PlaybackError(
                "\(options.called("store-days")) must be a whole number of days from 0 to 36500, not '\(text ?? "")'",
                isUsage: true)
        }
        self.days = days == 0 ? nil : days
        size = try ByteSize.bytes(of: "store-size", in: options, minimum: Self.minimumSize)
    }
}
