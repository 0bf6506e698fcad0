import Glibc
import ODTPlayback
import SwiftODT

/// The database that `odt watch` writes and `odt report` reads. Its tables are documented in `docs/watch-reference.md`.
enum StoreFile {
    /// The version of the schema, stored as `user_version`. It is incremented for incompatible changes.
    static let version: Int64 = 1
    /// The `application_id` ("ODTs"), by which programs such as `file` identify the format.
    private static let application: Int64 = 0x4F44_5473

    /// Opens a database for writing. Creates the database and its folder if they do not exist.
    ///
    /// - Throws: ``SQLiteError``; ``PlaybackError`` if the folder cannot be created, or the file is a database of another
    ///   program or version.
    static func open(toWrite path: String, _ library: SQLiteLibrary) throws -> SQLiteDatabase {
        try PartFile.makeFolder(PartFile.parts(of: path).folder)
        let database = try SQLiteDatabase(path, for: .write, library)
        let isNew = try isEmpty(database)
        // An existing database is checked before anything in it is changed.
        if !isNew { try check(database, path) }
        // `auto_vacuum` makes it possible to return the space of deleted rows to the file system. It has to be set
        // before the first table is created.
        try database.execute(
            "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE")
        if isNew, try isEmpty(database) {
            try database.execute(
                tables + "PRAGMA application_id = \(application); PRAGMA user_version = \(version)")
        }
        try database.execute(additions)
        try database.execute("COMMIT")
        return database
    }

    /// Opens a database for reading. This is possible while `odt watch` writes to the database.
    static func open(toRead path: String, _ library: SQLiteLibrary) throws -> SQLiteDatabase {
        try reportingErrors(path) {
            // SQLite needs files beside the database to read it. If they cannot be created, and there is no write-ahead
            // log, no process writes the database.
            let canCreate = PathText.withSystemPath(FilePath.folder(of: path)) { access($0, W_OK) } == 0
            let isComplete = !canCreate && !PathText.exists(path + "-wal")
            let database = try SQLiteDatabase(path, for: isComplete ? .readImmutable : .read, library)
            try check(database, path)
            return database
        }
    }

    /// Converts an SQLite error to an error with a remedy.
    static func problem(_ error: SQLiteError, _ path: String) -> PlaybackError {
        switch error.primaryCode {
        case 5, 6:
            PlaybackError("\(path) is locked by another program: end that program or choose another file")
        case 10, 13: PlaybackError("cannot write \(path) (\(error)): check the free disk space")
        case 11, 26:
            PlaybackError(
                "\(path) is not a database of odt watch, or is damaged (\(error)): move it away; sqlite3 \(path) .recover extracts readable data"
            )
        case 8, 14: PlaybackError("\(path): \(error): check that it exists and its permissions")
        default: PlaybackError("\(path): \(error)")
        }
    }

    /// Converts the SQLite errors of `body` to errors with a remedy.
    static func reportingErrors<Answer>(_ path: String, _ body: () throws -> Answer) throws -> Answer {
        do { return try body() } catch let error as SQLiteError { throw problem(error, path) }
    }

    private static func isEmpty(_ database: SQLiteDatabase) throws -> Bool {
        try database.figure("SELECT count(*) FROM sqlite_master") == 0
    }

    private static func check(_ database: SQLiteDatabase, _ path: String) throws {
        let found = try database.figure("PRAGMA user_version")
        guard try database.figure("PRAGMA application_id") == application, found > 0 else {
            throw PlaybackError("\(path) is a database of another program: choose another file")
        }
        guard found == version else {
            throw PlaybackError(
                "\(path) has version \(found), but this odt supports version \(version): "
                    + (found > version ? "use the newer odt that wrote it" : "choose another file"))
        }
    }

    /// Tables that were added to version 1 of the schema later. Readers accept databases without them.
    private static let additions = """
        CREATE TABLE IF NOT EXISTS segment (
            session INTEGER NOT NULL REFERENCES session, time INTEGER NOT NULL, ended INTEGER NOT NULL,
            length INTEGER NOT NULL, file TEXT NOT NULL, PRIMARY KEY (time, session)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS clip (
            session INTEGER NOT NULL REFERENCES session, time INTEGER NOT NULL, ended INTEGER NOT NULL,
            file TEXT NOT NULL, picture TEXT, PRIMARY KEY (time, session)) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS redaction (camera INTEGER PRIMARY KEY REFERENCES camera, word TEXT);
        CREATE TABLE IF NOT EXISTS alarm (
            id INTEGER PRIMARY KEY, time INTEGER NOT NULL, session INTEGER NOT NULL REFERENCES session,
            event TEXT NOT NULL, reason TEXT);
        CREATE INDEX IF NOT EXISTS alarm_time ON alarm (time);
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
