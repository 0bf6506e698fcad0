import Playback
import SwiftODT
import Synchronization

/// Keeps what is seen in a file: tracks, zone events and counts all of them, boxes once a second.
///
/// A thread of its own writes all that has come within half a second at once. What cannot be written is kept in memory for some time,
/// and the watch goes on.
final class StoreSink: WatchSink {
    /// In milliseconds: what is not older than this may be lost with the process.
    private static let batchTime: Int32 = 400
    /// How long after a failure it is tried again.
    private static let pause: Int32 = 5_000
    /// So many rows and boxes wait, some 20 MB; boxes wait in one half of it alone.
    private static let maximumWaiting = 100_000

    /// Rows and boxes that are written at once, some 50 KB: what a limit of size is not yet asked of.
    private static let maximumBatch = 1_000

    private struct State {
        var cameras: [String: StoredCamera] = [:]
        var sessionCount = 0
        var rows: [StoreRow] = []
        var weight = 0
        var lostCount = 0
        var isClosing = false
        /// Nothing more can be stored.
        var isOver = false
    }

    /// What belongs to the thread that writes: it takes it, and lets it go.
    private final class Store: @unchecked Sendable {
        private var parts: (SQLiteDatabase, StoreWriter, StoreRetention)?

        init(_ database: SQLiteDatabase, _ writer: StoreWriter, _ retention: StoreRetention) {
            parts = (database, writer, retention)
        }

        func take() -> (SQLiteDatabase, StoreWriter, StoreRetention)? {
            defer { parts = nil }
            return parts
        }
    }

    private let path: String
    private let notify: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// Something is to be written.
    private let wakeup = WakeupPipe()
    private let ending = WakeupPipe()
    private let done = WakeupPipe()

    /// - Throws: ``PlaybackError`` where libsqlite3 is missing, or the file is none that can be stored into.
    init(_ options: StoreOptions, notify: @escaping @Sendable (String) -> Void) throws {
        (path, self.notify) = (options.path, notify)
        let store: Store
        do {
            let database = try StoreFile.open(toWrite: path, SQLiteLibrary())
            store = Store(database, try StoreWriter(database), try StoreRetention(options, database))
        } catch let error as SQLiteError {
            throw StoreFile.problem(error, path)
        }
        guard DetachedThread.run({ self.run(store) }) else {
            throw PlaybackError("--store: no thread can be started (ulimit -u)")
        }
    }

    func take(_ message: WatchMessage) {
        let hasRows = state.withLock { state in
            guard !state.isOver else { return false }
            let rows = state.cameras[message.camera, default: StoredCamera(message.camera)]
                .rows(of: message, sessionCount: &state.sessionCount)
            for row in rows { Self.keep(row, in: &state) }
            return !rows.isEmpty
        }
        if hasRows { wakeup.wake() }
    }

    /// Notes where the camera's video is, so that a report finds its pictures.
    func take(_ segment: FinishedSegment, of camera: String) {
        let hasRows = state.withLock { state in
            guard !state.isOver, let row = state.cameras[camera]?.row(of: segment) else { return false }
            Self.keep(row, in: &state)
            return true
        }
        if hasRows { wakeup.wake() }
    }

    func close() {
        state.withLock { $0.isClosing = true }
        ending.wake()
        wakeup.wake()
        done.wait(milliseconds: 10_000)
        let left = state.withLock { $0.lostCount + $0.rows.count }
        if left > 0 { notify("\(left) rows could not be stored in \(path)") }
    }

    private static func keep(_ row: StoreRow, in state: inout State) {
        let isResult = if case .result = row.content { true } else { false }
        let room = isResult ? maximumWaiting / 2 : maximumWaiting
        guard state.weight + row.weight <= room else { return state.lostCount += 1 }
        state.rows.append(row)
        state.weight += row.weight
    }

    // MARK: The thread

    private func run(_ store: Store) {
        // The file is closed when this returns.
        if let (database, writer, retention) = store.take() { work(database, writer, retention) }
        done.wake()
    }

    private func work(_ database: SQLiteDatabase, _ writer: StoreWriter, _ retention: StoreRetention) {
        var retention = retention
        var complaint: String?
        while true {
            let (rows, isClosing) = takeRows()
            var stored = 0
            do {
                repeat {
                    let part = Self.part(of: rows, from: stored)
                    if !part.isEmpty { try writer.write(part) }
                    stored += part.count
                    if try retention.keep(database, now: MonotonicClock.now, wall: WallClock.now) {
                        try writer.forgetDeletedSessions()
                    }
                } while stored < rows.count
                if complaint != nil { notifyStoringAgain() }
                complaint = nil
                if isClosing { break }
                if rows.isEmpty { wakeup.wait(milliseconds: 60_000) }
                ending.wait(milliseconds: Self.batchTime)
            } catch {
                let error = error as? SQLiteError ?? SQLiteError(code: 1, description: "\(error)")
                let text = StoreFile.problem(error, path).description
                let isOver = error.kind == .damaged
                if text != complaint {
                    notify("\(text). The watch goes on\(isOver ? " without it" : ", and it is tried again")")
                }
                complaint = text
                putBack(rows[stored...], isOver: isOver)
                if isClosing || isOver { break }
                ending.wait(milliseconds: Self.pause)
            }
        }
    }

    private func takeRows() -> ([StoreRow], isClosing: Bool) {
        state.withLock { state in
            defer { (state.rows, state.weight) = ([], 0) }
            return (state.rows, state.isClosing)
        }
    }

    private static func part(of rows: [StoreRow], from start: Int) -> ArraySlice<StoreRow> {
        var (end, weight) = (start, 0)
        while end < rows.count, end == start || weight + rows[end].weight <= maximumBatch {
            weight += rows[end].weight
            end += 1
        }
        return rows[start..<end]
    }

    /// In front of what came meanwhile.
    private func putBack(_ rows: ArraySlice<StoreRow>, isOver: Bool) {
        state.withLock { state in
            state.isOver = isOver
            let later = state.rows
            (state.rows, state.weight) = ([], 0)
            for row in rows + later { Self.keep(row, in: &state) }
        }
    }

    private func notifyStoringAgain() {
        let lost = state.withLock { state in
            defer { state.lostCount = 0 }
            return state.lostCount
        }
        notify("\(path) is written again" + (lost > 0 ? "; \(lost) rows were left out" : ""))
    }
}
