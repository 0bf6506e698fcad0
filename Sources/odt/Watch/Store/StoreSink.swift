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
        /// Whether the user has been informed of dropped rows since rows were last stored.
        var isLosing = false
        /// The latest rows of redaction, which each new file needs.
        var redaction: [StoreRow] = []
        var isClosing = false
        /// Whether the latest attempt to write has failed.
        var isFailing = false
        /// Whether the database is damaged, so that nothing more can be stored.
        var isOver = false
    }

    private final class Store {
        let database: SQLiteDatabase
        let writer: StoreWriter
        var retention: StoreRetention
        let file: FileIdentity?

        init(_ options: StoreOptions, _ library: SQLiteLibrary) throws {
            database = try StoreFile.open(toWrite: options.path, library)
            writer = try StoreWriter(database)
            retention = try StoreRetention(options, database)
            file = FileIdentity(path: options.path)
        }
    }

    private let options: StoreOptions
    private let library: SQLiteLibrary
    /// The interval in nanoseconds at which the file is compared with the file at the path.
    private let fileCheckInterval: Nanoseconds
    /// The maximum number of queued rows, by default about 20 MB. Boxes are counted as rows. Results are dropped as
    /// soon as the queue is half full.
    private let maximumWaiting: Int
    private var path: String { options.path }
    private let notify: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// Wakes the thread when rows are queued.
    private let wakeup = WakeupPipe()
    /// Wakes the thread if it waits for the next batch or attempt when `odt watch` ends.
    private let ending = WakeupPipe()
    /// Signals that the thread has ended.
    private let done = WakeupPipe()

    init(
        _ options: StoreOptions, fileCheckInterval: Nanoseconds = 60_000_000_000, maximumWaiting: Int = 100_000,
        notify: @escaping @Sendable (String) -> Void
    ) throws {
        (self.options, self.fileCheckInterval, self.notify) = (options, fileCheckInterval, notify)
        self.maximumWaiting = maximumWaiting
        library = try SQLiteLibrary()
        let store: Monitor<Store?>
        do {
            store = Monitor(try Store(options, library))
        } catch let error as SQLiteError {
            let problem = StoreFile.problem(error, path)
            guard error.isDamage else { throw problem }
            notify("\(problem); the watch continues without storing")
            state.withLock { $0.isOver = true }
            done.wake()
            return
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
    func use(_ cameras: [ConfiguredCamera]) {
        let now = WallClock.now / 1_000_000
        let rows = cameras.map {
            StoreRow(camera: $0.name, session: 0, time: now, content: .redaction($0.redaction))
        }
        state.withLock { $0.redaction = rows }
        keep(rows)
    }

    private func keep(_ rows: [StoreRow?]) {
        let rows = rows.compactMap(\.self)
        guard !rows.isEmpty else { return }
        let isFirst = state.withLock { state in
            for row in rows { keep(row, in: &state) }
            guard state.lostCount > 0, !state.isLosing, !state.isOver else { return false }
            state.isLosing = true
            return true
        }
        wakeup.wake()
        if isFirst { notify("the queue of \(path) is full: rows are dropped") }
    }

    func measure(into text: inout MetricsText) {
        let (rows, lostCount) = state.withLock { ($0.rows.count, $0.lostCount + $0.reportedLostCount) }
        text.add("swiftodt_store_queue_rows", .gauge, "Rows that wait to be written to the database.", rows)
        text.add("swiftodt_store_rows_dropped_total", .counter, "Rows that were dropped.", lostCount)
    }

    var problem: String? { state.withLock(\.isOver) ? "the database \(path) is damaged, and nothing is stored" : nil }

    var writeState: (output: String, isFailing: Bool)? { ("store", state.withLock { $0.isFailing || $0.isOver }) }

    func close() {
        state.withLock { $0.isClosing = true }
        ending.wake()
        wakeup.wake()
        done.wait(milliseconds: 10_000)
        let left = state.withLock { $0.lostCount + $0.rows.count }
        if left > 0 { notify("not stored in \(path): \(CountText.text(left, "row"))") }
    }

    private func keep(_ row: StoreRow, in state: inout State) {
        let isResult = if case .result = row.content { true } else { false }
        let room = isResult ? maximumWaiting / 2 : maximumWaiting
        guard !state.isOver, state.weight + row.weight <= room else { return state.lostCount += 1 }
        state.rows.append(row)
        state.weight += row.weight
    }

    // MARK: The thread

    private func run(_ first: Monitor<Store?>) {
        work(first)
        done.wake()
    }

    private func work(_ first: Monitor<Store?>) {
        // The database is taken out of `first`, so that nothing else keeps it open.
        var store = first.update { store in
            defer { store = nil }
            return store
        }
        var (complaint, checked) = (String?.none, MonotonicClock.now)
        while true {
            let (rows, isClosing) = takeRows()
            var stored = 0
            do {
                // The last rows would otherwise stay in the write-ahead log of a file that has just been moved.
                if isClosing || MonotonicClock.now - checked >= fileCheckInterval {
                    checked = MonotonicClock.now
                    if store?.file != FileIdentity(path: path) {
                        // When SQLite closes a moved file, it does not complete the file from the write-ahead log.
                        try? store?.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                        // The next database has a log of the same name, so this database is closed first.
                        store = nil
                    }
                }
                // The moved file is complete, and no row needs a new file.
                if isClosing, store == nil, rows.isEmpty { break }
                let current = try store ?? reopen()
                store = current
                repeat {
                    let part = Self.part(of: rows, from: stored)
                    if !part.isEmpty { try current.writer.write(part) }
                    stored += part.count
                    if try current.retention.keep(current.database, now: MonotonicClock.now, wall: WallClock.now) {
                        try current.writer.forgetDeletedSessions()
                    }
                } while stored < rows.count
                if complaint != nil || state.withLock(\.isLosing) { notifyStoringAgain() }
                complaint = nil
                if isClosing { break }
                if rows.isEmpty { wakeup.wait(milliseconds: 60_000) }
                ending.wait(milliseconds: Self.batchTime)
            } catch {
                let text = (error as? SQLiteError).map { "\(StoreFile.problem($0, path))" } ?? "\(error)"
                let isOver = (error as? SQLiteError)?.isDamage ?? false
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

    /// Opens the file at the path after it was moved, replaced or deleted. Sessions are inserted again with their next
    /// row.
    private func reopen() throws -> Store {
        let store = try Store(options, library)
        try store.writer.write(state.withLock(\.redaction)[...])
        notify("\(path) was moved, replaced or deleted: storing continues in the file that has this name now")
        return store
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
            (state.isFailing, state.isOver) = (true, isOver)
            let later = state.rows
            (state.rows, state.weight) = ([], 0)
            for row in rows + later { keep(row, in: &state) }
        }
    }

    private func notifyStoringAgain() {
        let lost = state.withLock { state in
            defer { (state.lostCount, state.reportedLostCount) = (0, state.reportedLostCount + state.lostCount) }
            (state.isLosing, state.isFailing) = (false, false)
            return state.lostCount
        }
        notify("storing in \(path) resumed" + (lost > 0 ? "; dropped: \(CountText.text(lost, "row"))" : ""))
    }
}
