import SwiftODT

/// Examines the cache of compiled networks.
@Sendable func examineCache() -> [Finding] {
    let state = NetworkCacheState.read()
    guard let folder = state.folder else {
        return [
            .limited(
                "cache", "this user has no home folder, so networks are compiled at each start",
                remedy: "set XDG_CACHE_HOME to a folder")
        ]
    }
    guard state.isWritable else {
        return [
            .limited(
                "cache", "\(folder) is not writable, so networks are compiled at each start",
                remedy: "change its owner to this user, or set XDG_CACHE_HOME to another folder")
        ]
    }
    let holds = "\(folder) holds \(state.count) compiled networks, \(megabytes(state.bytes))"
    if let free = state.freeBytes, free < 100_000_000 {
        return [.limited("cache", "\(holds); the disk is full", remedy: "free at least 100 MB")]
    }
    return [.fine("cache", holds)]
}

private func megabytes(_ bytes: Int) -> String { "\(bytes / 1_000_000) MB" }
