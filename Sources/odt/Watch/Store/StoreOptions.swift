import Playback
import SwiftODT

/// `--store` and what belongs to it.
struct StoreOptions: Sendable {
    static let names: Set<String> = ["store", "store-days", "store-size"]
    static let help = """
          --store FILE       keep what is seen in an SQLite database, from which 'odt report --store' draws any hour
          --store-days DAYS  what is older is deleted (\(usualDays)); 0 keeps all
          --store-size SIZE  beyond so much the oldest is deleted: 500M, 20G
        """
    private static let usualDays = 30
    /// Below that nothing of use is left between two deletions.
    private static let minimumSize = 1 << 20

    let path: String
    /// `nil` where nothing is too old.
    let days: Int?
    /// In bytes; `nil` where nothing is too much.
    let size: Int?

    /// - Returns: `nil` where nothing is to be kept.
    /// - Throws: ``PlaybackError`` that says what is wrong.
    init?(_ options: WatchOptions) throws {
        try options.refuse(Self.names, without: "store")
        guard let path = options.text("store") else { return nil }
        guard !path.isEmpty, path != "-" else {
            throw PlaybackError("\(options.called("store")) names no file", isUsage: true)
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
