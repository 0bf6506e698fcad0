/// Keeps tiles from frame to frame while their content is unchanged.
///
/// The size is bounded: beyond 8 MiB or 512 tiles the least recently used half is removed.
struct TileCache {
    enum Key: Hashable {
        case label(LabelStyle)
        case corner(RoundedCorner)
    }

    private struct Entry {
        let tile: Tile
        var used: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private var bytes = 0
    private var clock: UInt64 = 0
    private let byteLimit: Int

    init(byteLimit: Int = 8 << 20) {
        self.byteLimit = byteLimit
    }

    var count: Int { entries.count }

    /// Returns the tile for a key, drawing it if it is not cached; `nil` if drawing fails.
    mutating func tile(_ key: Key, draw: () -> Tile?) -> Tile? {
        clock += 1
        if let entry = entries[key] {
            entries[key]?.used = clock
            return entry.tile
        }
        guard let tile = draw() else { return nil }
        bytes += tile.byteCount
        entries[key] = Entry(tile: tile, used: clock)
        if bytes > byteLimit || entries.count > 512 { shrink() }
        return tile
    }

    mutating func removeAll() {
        entries.removeAll()
        bytes = 0
    }

    /// Removes the least recently used half.
    private mutating func shrink() {
        let ages = entries.values.map(\.used).sorted()
        let middle = ages[ages.count / 2]
        entries = entries.filter { $0.value.used >= middle }
        bytes = entries.values.reduce(0) { $0 + $1.tile.byteCount }
    }
}
