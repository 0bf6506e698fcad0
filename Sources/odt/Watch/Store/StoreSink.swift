import ODTPlayback
import SwiftODT
import Synchronization

/// Stores tracks, zone events and counts in a database, and the boxes of one result per second.
///
/// A separate thread writes the rows in batches. If writing fails, the rows are queued up to a limit, and `odt watch`
/// continues.
final class StoreSink: MeasuredSink {
    /// The delay in milliseconds between batches. If the process crashes, the rows that arrived after the latest batch
    /// are lost.
    private static let batchTime: Int32 = 400
    /// The delay in milliseconds before the next attempt after a failure.
    private static let pause: Int32 = 5_000
    /// The maximum number of queued rows, about 20 MB. Boxes are counted as rows. Results are dropped as soon as the
    /// queue is half full.
    private static let maximumWaiting = 100_000

    /// The maximum number of rows in a transaction, about 50 KB. Boxes are counted as rows. The size limit is checked
    /// after each transaction, so transactions have to be small.
    private static let maximumBatch = 1_000

    private struct State {
        var cameras: [String: StoredCamera] = [:]
        var sessionCount = 0
        var rows: [StoreRow] = []
        /// The sum of the weights (the approximate memory use) of `rows`.
        var weight = 0
        /// The number of dropped rows that have not been reported yet.
        var lostCount = 0
        var reportedLostCount = 0
        var isClosing = false
        /// Whether the database is damaged, so that nothing more can be stored.
        var isOver = false
    }

    /// Passes the database from the initializer to the writing thread, which takes it out.
    private typealias Store = Monitor<(SQLiteDatabase, StoreWriter, StoreRetention)?>

    private let path: String
    private let notify: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// Wakes the thread when rows are queued.
    private let wakeup = WakeupPipe()
    /// Wakes the thread if it waits for the next batch or attempt when `odt watch` ends.
    private let ending = WakeupPipe()
    /// Signals that the thread has ended.
    private let done = WakeupPipe()

    init(_ options: StoreOptions, notify: @escaping @Sendable (String) -> Void) throws {
        (path, self.notify) = (options.path, notify)
        let store = try StoreFile.reportingErrors(options.path) {
            let database = try StoreFile.open(toWrite: options.path, SQLiteLibrary())
            return try Store((database, StoreWriter(database), StoreRetention(options, database)))
        }
        guard DetachedThread.run({ self.run(store) }) else {
            throw PlaybackError("--store: cannot start a thread (ulimit -u)")
        }
    }

    func take(_ message: WatchMessage) {
        let rows = state.withLock { state in
            state.cameras[message.camera, default: StoredCamera(message.camera)]
                .rows(of: message, sessionCount: &state.sessionCount)
        }
        keep(rows)
    }

    /// Stores the path and the times of a recorded segment, so that reports find pictures in it.
    func take(_ segment: FinishedSegment, of camera: String) {
        keep([state.withLock { $0.cameras[camera]?.row(of: segment) }])
    }

    func take(_ clip: SavedClip, of camera: String) {
        keep([state.withLock { $0.cameras[camera]?.row(of: clip) }])
    }

    /// Stores the redaction of the cameras, which decides which files a report may show.
    func use(_ cameras: [CameraPlan]) {
        let now = WallClock.now / 1_000_000
        keep(
            cameras.map {
                StoreRow(camera: $0.name, session: 0, time: now, content: .redaction(RedactionFilter(of: $0)))
            })
    }

    private func keep(_ rows: [StoreRow?]) {
        let rows = rows.compactMap(\.self)
        guard !rows.isEmpty else { return }
        state.withLock { state in
            guard !state.isOver else { return }
            for row in rows { Self.keep(row, in: &state) }
        }
        wakeup.wake()
    }

    func measure(into text: inout MetricsText) {
        let (rows, lostCount) = state.withLock { ($0.rows.count, $0.lostCount + $0.reportedLostCount) }
        text.add("swiftodt_store_queue_rows", .gauge, "Rows that wait to be written to the database.", rows)
        text.add("swiftodt_store_rows_dropped_total", .counter, "Rows that were dropped.", lostCount)
    }

    var problem: String? { state.withLock(\.isOver) ? "the database \(path) is damaged, and nothing is stored" : nil }

    func close() {
        state.withLock { $0.isClosing = true }
        ending.wake()
        wakeup.wake()
        done.wait(milliseconds: 10_000)
        let left = state.withLock { $0.lostCount + $0.rows.count }
        if left > 0 { notify("\(left) rows were not stored in \(path)") }
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
        // The database is taken out of `store`, so that it is closed before `done` is signalled.
        if let (database, writer, retention) = store.update({ parts in
            defer { parts = nil }
            return parts
        }) {
            work(database, writer, retention)
        }
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
                let isOver = error.isDamage
                if text != complaint {
                    notify("\(text); the watch continues\(isOver ? " without storing" : " and retries")")
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

    /// Puts unwritten rows back into the queue, before the newer rows.
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
            defer { (state.lostCount, state.reportedLostCount) = (0, state.reportedLostCount + state.lostCount) }
            return state.lostCount
        }
        notify("storing in \(path) resumed" + (lost > 0 ? "; \(lost) rows were dropped" : ""))
    }
}
