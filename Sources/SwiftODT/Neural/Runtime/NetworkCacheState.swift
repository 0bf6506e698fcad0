import Glibc

/// What is kept of networks on disk, so that the next start is quick. ``NetworkCache`` keeps it.
///
///     let state = NetworkCacheState.read()
///     print(state.folder ?? "nowhere", state.count, state.bytes)
public struct NetworkCacheState: Sendable {
    /// `nil` for users without a home.
    public let folder: String?
    /// Whether more can be kept.
    public let isWritable: Bool
    /// How many compiled networks there are, and what they take up.
    public let count: Int
    public let bytes: Int
    /// What is free on that disk; `nil` where there is no such folder.
    public let freeBytes: Int?

    /// Looks, and makes the folder where it is not there yet, as the first network would.
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
