import CODTGStreamer
import Glibc
import SwiftODT

/// A file that is written under the temporary name NAME.part.EXT, in the folder of NAME.EXT. ``finish()`` renames it to
/// NAME.EXT.
///
/// Until ``finish()``, an existing file NAME.EXT is not changed. The writer holds a lock on the part file. A part file
/// without a lock is abandoned, see ``interrupted(of:)``.
///
///     let file = try PartFile("out.jsonl")
///     try file.write("{}\n")
///     try file.finish()
package final class PartFile: Sendable {
    /// The final path. If NAME.EXT is a symbolic link, this is the path of the file to which the link points, so that
    /// the link is kept.
    package let target: String
    package let path: String
    private let descriptor: Int32

    /// - Throws: ``PlaybackError`` if the file cannot be created.
    package init(_ name: String) throws {
        target = Self.target(of: name)
        try Self.checkReplaceable(target, name)
        let (folder, stem, ending) = Self.parts(of: target)
        try Self.makeFolder(folder)
        var number = 1
        while true {
            let path = "\(folder)\(stem).part\(number > 1 ? String(number) : "")\(ending)"
            let file = PathText.withSystemPath(path) { open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
            if file >= 0 {
                (self.path, descriptor) = (path, file)
                Self.copyAccess(of: target, to: file)
                _ = Self.lock(file)
                return
            }
            guard errno == EEXIST else { throw Self.problem("cannot write \(target)") }
            number += 1
        }
    }

    /// Gives a file the owner and the permissions of the file that it replaces, if there is one.
    private static func copyAccess(of target: String, to file: Int32) {
        var status = stat()
        guard PathText.withSystemPath(target, { stat($0, &status) }) == 0 else { return }
        _ = fchown(file, status.st_uid, status.st_gid)
        _ = fchmod(file, status.st_mode & 0o777)
    }

    package var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Appends text to the file. If an error occurs, no part of the text remains in the file. The text is not buffered,
    /// so other processes can read it at once.
    package func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        let before = off_t(size)
        guard let error = DescriptorWriting.write(bytes, to: descriptor).error else { return }
        ftruncate(descriptor, before)
        lseek(descriptor, before, SEEK_SET)
        throw Self.problem(path, error)
    }

    /// Flushes the file to the disk and renames it to its final name. After a power failure, the final name refers to
    /// either the previous file or the complete new file.
    ///
    /// - Parameter replaces: Whether an existing file of the final name is replaced.
    package func finish(replaces: Bool = true) throws {
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw Self.problem(path) }
        guard replaces ? Self.rename(path, to: target) : Self.renameToFreeName(path, target) else {
            guard !replaces, errno == EEXIST else { throw Self.problem(target) }
            throw PlaybackError(
                "\(target) already exists; choose another file or allow replacing it", .invalidOption)
        }
        close()
    }

    /// Writes a complete file and returns its path. An existing file of this name is replaced.
    @discardableResult
    package static func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = try PartFile(name)
        do {
            try bytes.withUnsafeBytes { try file.write($0) }
            try file.finish()
        } catch {
            file.discard()
            throw error
        }
        return file.target
    }

    package func sync() { fdatasync(descriptor) }

    package func close() { _ = Glibc.close(descriptor) }

    package func discard() {
        _ = PathText.withSystemPath(path) { unlink($0) }
        close()
    }

    /// Replaces an existing file of the new name. Returns whether the file was renamed.
    @discardableResult
    package static func rename(_ path: String, to name: String) -> Bool {
        PathText.withSystemPath(path) { old in PathText.withSystemPath(name) { Glibc.rename(old, $0) } } == 0
    }

    /// Fails with the error EEXIST if a file of the new name exists. Returns whether the file was renamed.
    private static func renameToFreeName(_ path: String, _ name: String) -> Bool {
        PathText.withSystemPath(path) { old in
            PathText.withSystemPath(name) { new in
                if link(old, new) == 0 {
                    unlink(old)
                    return true
                }
                // Some file systems have no hard links, for example FAT.
                guard [EPERM, ENOSYS, EOPNOTSUPP].contains(errno) else { return false }
                guard access(new, F_OK) != 0 else {
                    errno = EEXIST
                    return false
                }
                return Glibc.rename(old, new) == 0
            }
        }
    }

    /// Returns the paths of the abandoned part files of NAME.EXT, which no process is writing.
    package static func interrupted(of name: String) -> [String] {
        let (folder, stem, ending) = parts(of: target(of: name))
        let start = stem + ".part"
        return names(in: folder).sorted().filter { other in
            guard other.hasPrefix(start), other.hasSuffix(ending), other.count >= start.count + ending.count else {
                return false
            }
            return other.dropFirst(start.count).dropLast(ending.count).allSatisfy(\.isNumber)
        }.map { folder + $0 }.filter { path in
            let file = PathText.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
            guard file >= 0 else { return false }
            defer { _ = Glibc.close(file) }
            return lock(file)
        }
    }

    /// Splits a path into the folder with its trailing slash, the file name without extension, and the extension with
    /// its dot. A file name such as `.profile`, whose only dot is the first character, has no extension.
    package static func parts(of path: String) -> (folder: String, stem: String, ending: String) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let name = path[start...]
        guard let dot = name.lastIndex(of: "."), name[..<dot].contains(where: { $0 != "." }) else {
            return (String(path[..<start]), String(name), "")
        }
        return (String(path[..<start]), String(name[..<dot]), String(name[dot...]))
    }

    // MARK: System calls

    /// Locks a file exclusively. Returns whether the file is locked; `false` also on a file system without locks.
    private static func lock(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    private static func problem(_ path: String, _ error: Int32 = errno) -> PlaybackError {
        PlaybackError("\(path): \(String(cString: strerror(error)))", .writing(error))
    }

    private static func checkReplaceable(_ target: String, _ name: String) throws {
        var status = stat()
        guard PathText.withSystemPath(target, { stat($0, &status) }) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw PlaybackError("\(name) is a folder")
        case S_IFREG: break
        default: throw PlaybackError("\(name) is not a regular file")
        }
        guard PathText.withSystemPath(target, { access($0, W_OK) }) == 0 else {
            throw PlaybackError("\(name) exists and is not writable")
        }
    }

    /// Returns the path of a file, which may not exist yet, with all links resolved. All names of one file give the
    /// same path.
    package static func target(of name: String) -> String {
        if let real = FilePath.canonical(name) { return real }
        // This loop resolves symbolic links to a file that does not exist yet. The limit of 40 links ends a cycle of
        // links. Writing to a file in such a cycle fails later.
        var name = name
        for _ in 0..<40 {
            guard let next = linked(name) else { break }
            name = next.hasPrefix("/") ? next : parts(of: name).folder + next
        }
        let (folder, stem, ending) = parts(of: name)
        return realFolder(folder) + stem + ending
    }

    /// Returns the path of a folder with all links resolved, ending in a slash. If the folder does not exist yet, only
    /// its existing parents are resolved. The other components are kept, but `..` removes the component before it.
    private static func realFolder(_ folder: String) -> String {
        if let real = FilePath.canonical(folder.isEmpty ? "." : folder) { return real == "/" ? real : real + "/" }
        let parts = folder.split(separator: "/")
        guard let last = parts.last else { return folder }
        let before = (folder.hasPrefix("/") ? "/" : "") + parts.dropLast().map { $0 + "/" }.joined()
        let start = realFolder(before)
        switch last {
        case ".": return start
        case "..": return self.parts(of: String(start.dropLast())).folder
        default: return start + last + "/"
        }
    }

    /// Returns `nil` if the file is not a symbolic link.
    private static func linked(_ name: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard PathText.withSystemPath(name, { readlink($0, &bytes, Int(PATH_MAX)) }) > 0 else { return nil }
        return PathText.text(ofSystemPath: bytes)
    }

    /// Creates a folder and its parents.
    ///
    /// - Throws: ``PlaybackError`` if the folder does not exist afterwards.
    package static func makeFolder(_ folder: String) throws {
        let problem = PathText.withSystemPath(folder.isEmpty ? "." : folder) {
            g_mkdir_with_parents($0, 0o777) == 0 ? 0 : errno
        }
        guard problem == 0 else {
            throw PlaybackError(
                "cannot create the folder \(folder): \(String(cString: strerror(problem)))", .writing(problem))
        }
    }

    /// Returns the names of the entries of a folder, unsorted; empty if the folder cannot be read.
    package static func names(in folder: String) -> [String] {
        PathText.withSystemPath(folder.isEmpty ? "." : folder) {
            FilePath.names(in: $0, decoding: PathText.text(ofSystemPath:))
        }
    }
}
