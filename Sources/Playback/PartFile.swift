import Glibc

/// A file that is written under a temporary name, NAME.part.EXT in the folder of NAME.EXT, until ``finish()``
/// renames it.
///
/// An existing NAME.EXT is not changed until then. The writer holds a lock on the part file. ``interrupted(of:)``
/// uses the lock to find part files without a writer.
///
///     let file = try PartFile("out.jsonl")
///     try file.write("{}\n")
///     try file.finish()
package final class PartFile: Sendable {
    /// The final path. If it is a symbolic link, the file that the link points to is replaced, not the link.
    package let target: String
    /// The temporary path.
    package let path: String
    private let descriptor: Int32

    /// - Throws: ``PlaybackError`` if the file cannot be created.
    package init(_ name: String) throws {
        target = Self.target(of: name)
        try Self.checkReplaceable(target, name)
        let (folder, stem, ending) = Self.parts(of: target)
        Self.makeFolder(folder)
        var number = 1
        while true {
            let path = "\(folder)\(stem).part\(number > 1 ? String(number) : "")\(ending)"
            let file = PathText.withSystemPath(path) { open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
            if file >= 0 {
                (self.path, descriptor) = (path, file)
                _ = Self.lock(file)
                return
            }
            guard errno == EEXIST else { throw Self.problem(path) }
            number += 1
        }
    }

    package var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Appends text, all of it or nothing. The text is not buffered, so other processes can read it at once.
    package func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        let before = off_t(size)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                let problem = Self.problem(path)
                ftruncate(descriptor, before)
                lseek(descriptor, before, SEEK_SET)
                throw problem
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Renames the file to its final name. After a power failure either the previous file or this one exists.
    package func finish() throws {
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw Self.problem(path) }
        guard Self.rename(path, to: target) else { throw Self.problem(target) }
        close()
    }

    /// Flushes the written data to the disk.
    package func sync() { fdatasync(descriptor) }

    /// Closes the file and keeps its temporary name.
    package func close() { _ = Glibc.close(descriptor) }

    package func discard() {
        _ = PathText.withSystemPath(path) { unlink($0) }
        close()
    }

    /// Renames a file and replaces an existing file of the new name.
    ///
    /// - Returns: Whether the file was renamed.
    @discardableResult
    package static func rename(_ path: String, to name: String) -> Bool {
        PathText.withSystemPath(path) { old in PathText.withSystemPath(name) { Glibc.rename(old, $0) } } == 0
    }

    /// Returns the part files of this name that have no writer any more.
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

    /// Splits a path into the folder with its slash, the name, and the extension with its dot. A name that begins
    /// with its only dot has no extension.
    package static func parts(of path: String) -> (folder: String, stem: String, ending: String) {
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let name = path[start...]
        guard let dot = name.lastIndex(of: "."), name[..<dot].contains(where: { $0 != "." }) else {
            return (String(path[..<start]), String(name), "")
        }
        return (String(path[..<start]), String(name[..<dot]), String(name[dot...]))
    }

    // MARK: System calls

    /// Returns whether this process holds the lock now. On a file system without locks the result is `false`.
    private static func lock(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    private static func problem(_ path: String) -> PlaybackError {
        PlaybackError("\(path): \(String(cString: strerror(errno)))")
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

    /// Returns the resolved path of a file, which may not exist yet. All names of one file give the same result,
    /// whatever links and spellings they use.
    package static func target(of name: String) -> String {
        if let real = real(name) { return real }
        // Resolves a symbolic link to a file that does not exist yet. The limit ends a cycle of links, for which
        // writing fails later.
        var name = name
        for _ in 0..<40 {
            guard let next = linked(name) else { break }
            name = next.hasPrefix("/") ? next : parts(of: name).folder + next
        }
        let (folder, stem, ending) = parts(of: name)
        return realFolder(folder) + stem + ending
    }

    /// Returns a folder, ending in a slash, with its links resolved. If the folder does not exist yet, only the
    /// existing part is resolved; the rest will be created as written, so `..` removes the component before it.
    private static func realFolder(_ folder: String) -> String {
        if let real = real(folder.isEmpty ? "." : folder) { return real == "/" ? real : real + "/" }
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

    private static func real(_ path: String) -> String? {
        guard let real = PathText.withSystemPath(path, { realpath($0, nil) }) else { return nil }
        defer { free(real) }
        return PathText.text(ofSystemPath: real)
    }

    /// Returns the target of a symbolic link; `nil` if the file is not one.
    private static func linked(_ name: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard PathText.withSystemPath(name, { readlink($0, &bytes, Int(PATH_MAX)) }) > 0 else { return nil }
        return PathText.text(ofSystemPath: bytes)
    }

    /// Creates a folder and its parents. Errors are ignored, because writing into the folder then fails with an error.
    package static func makeFolder(_ folder: String) {
        var path = ""
        for part in folder.split(separator: "/", omittingEmptySubsequences: false) {
            path += part + "/"
            if path != "/" { _ = PathText.withSystemPath(path) { mkdir($0, 0o777) } }
        }
    }

    /// Returns the names in a folder, unsorted; empty if the folder cannot be read.
    package static func names(in folder: String) -> [String] {
        guard let directory = PathText.withSystemPath(folder.isEmpty ? "." : folder, { opendir($0) }) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { PathText.text(ofSystemPath: $0) }
                })
        }
        return names
    }
}
