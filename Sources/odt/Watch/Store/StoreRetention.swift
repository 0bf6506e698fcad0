import Playback
import SwiftODT

/// Deletes what is too old, and the oldest of what is too much, and gives the room back to the disk.
struct StoreRetention {
    /// How often age is looked at.
    private static let interval: Nanoseconds = 60_000_000_000
    private static let tables = ["result", "box", "zone_event", "zone_count", "track", "segment"]
    /// One step deletes one part of so many.
    private static let stepsOfAll = 20

    private let days: Int?
    private let size: Int?
    private let pageSize: Int64
    /// So many pages may have been written and not be in their place yet.
    private let pagesUnderWay: Int64
    private var lastCleaned: Nanoseconds?
    private var clockCheck = WallClockCheck()

    init(_ options: StoreOptions, _ database: SQLiteDatabase) throws {
        (days, size) = (options.days, options.size)
        let pageSize = max(512, try database.figure("PRAGMA page_size"))
        self.pageSize = pageSize
        // They count as well.
        pagesUnderWay = options.size.map { min(max(Int64($0) / 32 / pageSize, 8), 1_000) } ?? 1_000
        try database.execute(
            "PRAGMA wal_autocheckpoint = \(pagesUnderWay); PRAGMA journal_size_limit = \(pagesUnderWay * pageSize)")
    }

    /// Does what is due; costs one query where nothing is.
    ///
    /// - Returns: whether rows may have been deleted.
    /// - Throws: ``SQLiteError``.
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

    /// - Returns: whether rows may have been deleted.
    private func shrink(_ database: SQLiteDatabase, to size: Int64) throws -> Bool {
        // A quarter for what is under way.
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

    /// Before which a twentieth of all rows lies. Rows of every table count, because a watch may store no results; only boxes do not, each of
    /// which has its result. They are counted, because a clock that was wrong once has left times of any kind.
    private func end(ofOldestIn database: SQLiteDatabase) throws -> Int64? {
        let tables = Self.tables.filter { $0 != "box" }
        let times = (tables.map { "SELECT time FROM \($0)" } + ["SELECT ended FROM session"])
            .joined(separator: " UNION ALL ")
        let statement = try database.prepare(
            "SELECT time FROM (\(times)) ORDER BY time LIMIT 1 OFFSET (SELECT count(*) FROM (\(times))) / \(Self.stepsOfAll)"
        )
        return try statement.next() ? statement.integer(0) : nil
    }

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

    /// In small parts, because each is written twice.
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
