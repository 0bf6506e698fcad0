import Playback
import SwiftODT

/// The file that a watch stores into and reports are drawn from. What its tables and columns mean is in docs/watch.md.
enum StoreFile {
    /// Grows with what the tables mean.
    static let version: Int64 = 1
    /// What `file` and others know it by: "ODTs".
    private static let application: Int64 = 0x4F44_5473

    /// Opens a file to store into, and makes it where it is not there.
    ///
    /// - Throws: ``PlaybackError`` that says what to do about it.
    static func open(toWrite path: String, _ library: SQLiteLibrary) throws -> SQLiteDatabase {
        try reportingErrors(path) {
            let database = try SQLiteDatabase(path, for: .write, library)
            let isNew = try isEmpty(database)
            // Before anything of it is changed.
            if !isNew { try check(database, path) }
            // The first before there is a table, or never: what is deleted later is given back to the disk.
            try database.execute(
                "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE"
            )
            if isNew, try isEmpty(database) {
                try database.execute(
                    tables + "PRAGMA application_id = \(application); PRAGMA user_version = \(version)")
            }
            try database.execute(additions)
            try database.execute("COMMIT")
            return database
        }
    }

    /// Opens a file to read from it, also while a watch stores into it.
    ///
    /// - Throws: ``PlaybackError`` that says what to do about it.
    static func open(toRead path: String, _ library: SQLiteLibrary) throws -> SQLiteDatabase {
        try reportingErrors(path) {
            let database = try SQLiteDatabase(path, for: .read, library)
            try check(database, path)
            return database
        }
    }

    /// What went wrong with a store, and what to do.
    static func problem(_ error: SQLiteError, _ path: String) -> PlaybackError {
        switch error.kind {
        case .locked:
            PlaybackError("\(path) is locked by another program: end that, or name another file")
        case .full: PlaybackError("\(path) cannot be written (\(error)): is the disk full?")
        case .damaged:
            PlaybackError(
                "\(path) is no store, or is damaged (\(error)): move it away; sqlite3 \(path) .recover saves what can be read"
            )
        case .missing:
            PlaybackError("\(path): \(error): is there such a file or folder, and may it be read and written?")
        case .other: PlaybackError("\(path): \(error)")
        }
    }

    private static func reportingErrors<Answer>(_ path: String, _ body: () throws -> Answer) throws -> Answer {
        do { return try body() } catch let error as SQLiteError { throw problem(error, path) }
    }

    private static func isEmpty(_ database: SQLiteDatabase) throws -> Bool {
        try database.figure("SELECT count(*) FROM sqlite_master") == 0
    }

    private static func check(_ database: SQLiteDatabase, _ path: String) throws {
        let found = try database.figure("PRAGMA user_version")
        guard try database.figure("PRAGMA application_id") == application, found > 0 else {
            throw PlaybackError("\(path) is a database of another program: name another file")
        }
        guard found == version else {
            throw PlaybackError(
                "\(path) is a store of version \(found), and this odt knows version \(version): "
                    + (found > version ? "use the newer odt that wrote it" : "name another file"))
        }
    }

    /// Tables that an earlier version 1 has not, and that its reader does not miss.
    private static let additions = """
        CREATE TABLE IF NOT EXISTS segment (
            session INTEGER NOT NULL REFERENCES session, time INTEGER NOT NULL, ended INTEGER NOT NULL,
            length INTEGER NOT NULL, file TEXT NOT NULL, PRIMARY KEY (time, session)) WITHOUT ROWID;
        """

    private static let tables = """
        CREATE TABLE camera (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE label (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE zone (
            id INTEGER PRIMARY KEY, camera INTEGER NOT NULL REFERENCES camera, name TEXT NOT NULL, kind TEXT NOT NULL,
            UNIQUE (camera, name, kind));
        CREATE TABLE session (
            id INTEGER PRIMARY KEY, camera INTEGER NOT NULL REFERENCES camera, began INTEGER NOT NULL,
            ended INTEGER NOT NULL, reason TEXT, width INTEGER, height INTEGER);
        CREATE INDEX session_ended ON session (ended);
        CREATE TABLE track (
            session INTEGER NOT NULL REFERENCES session, id INTEGER NOT NULL, time INTEGER NOT NULL,
            first INTEGER NOT NULL, last INTEGER NOT NULL, label INTEGER NOT NULL REFERENCES label,
            category INTEGER NOT NULL, path_length REAL, best INTEGER, best_score REAL, best_x INTEGER, best_y INTEGER,
            best_width INTEGER, best_height INTEGER, reason TEXT, PRIMARY KEY (session, id)) WITHOUT ROWID;
        CREATE INDEX track_time ON track (time);
        CREATE TABLE result (
            time INTEGER NOT NULL, session INTEGER NOT NULL REFERENCES session, objects INTEGER NOT NULL,
            PRIMARY KEY (time, session)) WITHOUT ROWID;
        CREATE TABLE box (
            time INTEGER NOT NULL, session INTEGER NOT NULL REFERENCES session, number INTEGER NOT NULL, track INTEGER,
            label INTEGER NOT NULL REFERENCES label, category INTEGER NOT NULL, score INTEGER NOT NULL,
            x_min INTEGER NOT NULL, y_min INTEGER NOT NULL, x_max INTEGER NOT NULL, y_max INTEGER NOT NULL,
            PRIMARY KEY (time, session, number)) WITHOUT ROWID;
        CREATE TABLE zone_event (
            id INTEGER PRIMARY KEY, time INTEGER NOT NULL, session INTEGER NOT NULL REFERENCES session,
            zone INTEGER NOT NULL REFERENCES zone, event TEXT NOT NULL, track INTEGER,
            label INTEGER NOT NULL REFERENCES label, dwell INTEGER);
        CREATE INDEX zone_event_time ON zone_event (time);
        CREATE TABLE zone_count (
            time INTEGER NOT NULL, session INTEGER NOT NULL REFERENCES session,
            zone INTEGER NOT NULL REFERENCES zone, label INTEGER NOT NULL, count INTEGER NOT NULL,
            entered INTEGER NOT NULL, gone INTEGER NOT NULL, inward INTEGER NOT NULL, outward INTEGER NOT NULL,
            PRIMARY KEY (time, session, zone, label)) WITHOUT ROWID;

        """
}
