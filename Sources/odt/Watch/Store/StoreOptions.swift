import Playback
import SwiftODT

/// The options of `--store`.
struct StoreOptions: Sendable {
    static let names: Set<String> = ["store", "store-days", "store-size"]
    static let help = """
            --store FILE       store tracks, events, counts and boxes in an SQLite database for 'odt report --store'
            --store-days DAYS  delete rows that are older than DAYS, 0 to 36,500; 0 keeps all (default: \(usualDays))
            --store-size SIZE  delete the oldest rows while the database exceeds SIZE: 500M, 20G (default: no limit)
        """
    private static let usualDays = 30
    /// With a smaller limit, each deletion would remove nearly all rows.
    private static let minimumSize = 1 << 20

    let path: String
    /// `nil` for no limit.
    let days: Int?
    /// In bytes; `nil` for no limit.
    let size: Int?

    /// - Returns: `nil` without `--store`.
    /// - Throws: ``PlaybackError`` if an option is invalid.
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
