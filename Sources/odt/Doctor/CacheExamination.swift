import SwiftODT

/// Where compiled networks are kept.
@Sendable func examineCache() -> [Finding] {
    let state = NetworkCacheState.read()
    guard let folder = state.folder else {
        return [
            .limited(
                "cache", "this user has no home, so that networks are compiled anew at each start",
                remedy: "set XDG_CACHE_HOME to a folder")
        ]
    }
    guard state.isWritable else {
        return [
            .limited(
                "cache", "\(folder) cannot be written, so that networks are compiled anew at each start",
                remedy: "make it this user's, or set XDG_CACHE_HOME to another folder")
        ]
    }
    let holds = "\(folder) holds \(state.count) compiled networks, \(megabytes(state.bytes))"
    if let free = state.freeBytes, free < 100_000_000 {
        return [.limited("cache", "\(holds); the disk is full", remedy: "make room on it")]
    }
    return [.fine("cache", holds)]
}

private func megabytes(_ bytes: Int) -> String { "\(bytes / 1_000_000) MB" }
