import Glibc

/// The state of the cache of compiled networks on disk, see ``NetworkCache``.
///
///     let state = NetworkCacheState.read()
///     print(state.folder ?? "nowhere", state.count, state.bytes)
public struct NetworkCacheState: Sendable {
    /// `nil` for users without a home directory.
    public let folder: String?
    /// Whether networks can be added.
    public let isWritable: Bool
    /// The number and total size of the compiled networks.
    public let count: Int
    public let bytes: Int
    /// The free space on the disk; `nil` if the folder does not exist.
    public let freeBytes: Int?

    /// Reads the state. Creates the folder if it does not exist.
    public static func read() -> NetworkCacheState {
        guard let folder = DataFolders.cache, NetworkCache.make(folder: folder) else {
            return NetworkCacheState(folder: DataFolders.cache, isWritable: false, count: 0, bytes: 0, freeBytes: nil)
        }
        var (count, bytes) = (0, 0)
        if let directory = opendir(folder) {
            defer { closedir(directory) }
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                guard name.hasSuffix(".blob") else { continue }
                count += 1
                bytes += FileBytes.size(folder + "/" + name) ?? 0
            }
        }
        var disk = statvfs()
        let free =
            statvfs(folder, &disk) == 0
            ? Int(clamping: disk.f_bavail.multipliedFullWidth(by: UInt(disk.f_frsize)).low) : nil
        return NetworkCacheState(
            folder: folder, isWritable: access(folder, W_OK | X_OK) == 0, count: count, bytes: bytes, freeBytes: free)
    }
}
