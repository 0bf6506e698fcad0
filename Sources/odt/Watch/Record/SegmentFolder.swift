import Glibc
import ODTPlayback
import SwiftODT
import Synchronization

/// A folder for the segments of all cameras, and the limits of their age and size.
struct SegmentFolder: Sendable {
    /// The path, ending in a slash.
    let path: String
    /// The name of the option for the folder, without dashes.
    private let option: String
    /// The maximum age of a segment in nanoseconds; `nil` for no limit.
    private let longestKept: Nanoseconds?
    /// The maximum size of all segments in bytes; `nil` for no limit.
    let largest: Int?

    /// - Parameter name: The name of the option for the folder, without dashes. The options for the limits are
    ///   NAME-days and NAME-size.
    init?(_ name: String, _ options: WatchOptions) throws {
        guard let folder = options.text(name) else { return nil }
        guard !folder.isEmpty else { throw CommandLineError("\(options.called(name)) needs a folder.") }
        path = folder.hasSuffix("/") ? folder : folder + "/"
        option = name
        longestKept = try options.number("\(name)-days", in: 0.001...36_500).map { Nanoseconds(seconds: 86_400 * $0) }
        largest = try ByteSize.bytes(of: "\(name)-size", in: options, minimum: 1 << 20)
    }

    fileprivate func lock(_ camera: String) throws -> FolderLock {
        let folder = path + camera
        try PartFile.makeFolder(folder)
        if let lock = FolderLock(folder) { return lock }
        throw PlaybackError(
            "another odt watch uses the folder \(folder): end it, give this camera another name (NAME=SOURCE), "
                + "or choose another folder (--\(option) DIR)")
    }

    /// Returns whether two names, for example with symbolic links, are of one folder.
    func isSame(as other: SegmentFolder) -> Bool {
        PartFile.target(of: path + "file") == PartFile.target(of: other.path + "file")
    }

    /// Creates the folder.
    ///
    /// - Parameters:
    ///   - purpose: The use of the folder, for the error message.
    ///   - hasPictures: Whether each segment has a picture.
    func retention(to purpose: String, hasPictures: Bool) throws -> SegmentRetention {
        try PartFile.makeFolder(path)
        guard PathText.withSystemPath(path, { access($0, W_OK | X_OK) }) == 0 else {
            throw PlaybackError("cannot \(purpose) in \(path): \(String(cString: strerror(errno)))")
        }
        return SegmentRetention(path, longest: longestKept, largest: largest, hasPictures: hasPictures)
    }
}

/// Locks on the folders of cameras, until the program ends. They prevent a second `odt watch` from writing files of the
/// same names.
final class FolderLocks: Sendable {
    private let folder: SegmentFolder
    private let locks = Mutex<[String: FolderLock]>([:])

    init(in folder: SegmentFolder) { self.folder = folder }

    /// Locks the folders of cameras. Returns the cameras whose folders were not locked before. If one of the folders
    /// cannot be locked, none is.
    func add(_ cameras: [String]) throws -> [String] {
        let new = cameras.filter { name in locks.withLock { $0[name] == nil } }
        let added = try new.map { ($0, try folder.lock($0)) }
        locks.withLock { locks in
            for (name, lock) in added { locks[name] = lock }
        }
        return new
    }
}
