import Glibc

/// Keeps on disk what is costly to find out: descriptions of networks, and compiled ones.
///
/// The runtime has a cache of its own, but to look something up in it a network must first be read and hashed, which for
/// quantised ones takes longer than all the rest. Here the file's identity is enough. What is found is checked against sums
/// before anybody believes it, so that damage on disk costs time and nothing else; a folder that cannot be written does no harm.
/// Processes that keep the same thing at the same time leave that of one of them, or, should they change places between its two
/// files, something that the sums tell from both.
struct NetworkCache {
    private let runtime: OpenVINO
    private let folder: String

    /// - Returns: `nil` where nothing can be kept.
    init?(runtime: OpenVINO, folder: String? = DataFolders.cache) {
        guard let folder, Self.make(folder: folder) else { return nil }
        self.runtime = runtime
        self.folder = folder
    }

    /// Makes a folder, and those that it lies in.
    ///
    /// - Returns: whether it is there and can be read.
    static func make(folder: String) -> Bool {
        guard folder.hasPrefix("/") else { return false }
        let ends = folder.indices.filter { folder[$0] == "/" }.dropFirst() + [folder.endIndex]
        for end in ends { mkdir(String(folder[..<end]), 0o700) }
        return access(folder, R_OK | X_OK) == 0
    }

    // MARK: Descriptions

    func description(of file: ModelFile) -> NetworkDescription? {
        let key = "description of \(file.identityText)"
        guard let entry = entry(key) else { return nil }
        return NetworkDescription(text: entry.description)
    }

    func keep(_ description: NetworkDescription, of file: ModelFile) {
        if writeEntry(key: "description of \(file.identityText)", sum: 0, text: description.text) { prune() }
    }

    // MARK: Compiled networks

    func compiled(
        _ file: ModelFile, input: NetworkInput, target: CompilationTarget
    ) -> (CompiledModel, NetworkDescription)? {
        let key = self.key(file, input: input, target: target)
        guard let entry = entry(key), let description = NetworkDescription(text: entry.description) else { return nil }
        guard let bytes = FileBlock(path(key, ".blob")), bytes.sum == entry.sum else {
            remove(key)
            return nil
        }
        return CompiledModel.restore(bytes, for: target, runtime: runtime).map { ($0, description) }
    }

    func keep(
        _ compiled: CompiledModel, _ description: NetworkDescription, of file: ModelFile, input: NetworkInput,
        target: CompilationTarget
    ) {
        let key = self.key(file, input: input, target: target)
        // Through memory: the runtime does not notice when a disk is full, this does.
        guard UniqueFile.mayGrow, let bytes = compiled.exported(), write(bytes.content, to: path(key, ".blob")),
            writeEntry(key: key, sum: bytes.sum, text: description.text)
        else {
            Diagnostics.report(.info, "\(file.name) cannot be kept in \(folder), so that each start compiles it anew")
            return
        }
        prune()
    }

    /// To be counted up whenever files are prepared in another way than before.
    private static let formatVersion = 4

    private func key(_ file: ModelFile, input: NetworkInput, target: CompilationTarget) -> String {
        "\(target.hint) with \(target.threads) threads on \(target.device), \(runtime.fullName(of: target.device)), "
            + "fed \(input), read in way \(Self.formatVersion), of \(file.identityText)"
    }

    // MARK: Files

    /// A text file holds the whole key, the sum of the blob beside it, the sum of all this text but for that line, and a description.
    private func entry(_ key: String) -> (sum: UInt64, description: String)? {
        guard let file = FileBlock(path(key, ".network")) else {
            unlink(path(key, ".network"))
            return nil
        }
        let lines = String(decoding: file.content, as: UTF8.self)
            .split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 4, lines[0] == "OpenVINO \(runtime.version), \(key)", let sum = UInt64(lines[1]),
            lines[2] == String(textSum(key: lines[0], sum: sum, text: lines[3]))
        else {
            remove(key)
            return nil
        }
        noteUse(key)
        return (sum, lines[3])
    }

    private func writeEntry(key: String, sum: UInt64, text: String) -> Bool {
        let line = "OpenVINO \(runtime.version), \(key)"
        let content = "\(line)\n\(sum)\n\(textSum(key: line, sum: sum, text: text))\n\(text)"
        return Array(content.utf8).withUnsafeBytes { write($0, to: path(key, ".network")) }
    }

    private func textSum(key: String, sum: UInt64, text: String) -> UInt64 {
        Array("\(key)\n\(sum)\n\(text)".utf8).withUnsafeBytes(FileBlock.sum)
    }

    /// In place of an earlier file at once: whoever reads finds the one or the other. The sums tell where it was damaged later.
    private func write(_ bytes: UnsafeRawBufferPointer, to path: String) -> Bool {
        guard let new = UniqueFile.write(bytes, named: path + ".") else { return false }
        guard rename(new, path) == 0 else {
            unlink(new)
            return false
        }
        return true
    }

    /// Throws away what is damaged, so that it is made anew.
    private func remove(_ key: String) {
        Diagnostics.report(.info, "what the cache has in \(path(key, ".network")) is damaged, and goes")
        unlink(path(key, ".network"))
        unlink(path(key, ".blob"))
    }

    private func path(_ key: String, _ ending: String) -> String {
        let sum = Array(key.utf8).withUnsafeBytes(FileBlock.sum)
        return folder + "/" + String(sum, radix: 16) + ending
    }

    /// Writes the time of use into the file's modification time. Access times are not kept on file systems that are mounted with `noatime`.
    private func noteUse(_ key: String) { utimensat(AT_FDCWD, path(key, ".network"), nil, 0) }

    /// An entry's `.network` file, with the `.blob` of a compiled network or without, as for a description alone.
    private struct Entry {
        var lastUse = 0
        var hasText = false
        var hasBlob = false
    }

    /// Limits the cache's size: removes the entries that were used least recently, and drafts that killed processes have left.
    private func prune() {
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        let outdated = time(nil) - Self.longestWriting
        var entries: [String: Entry] = [:]
        while let file = readdir(directory) {
            let name = withUnsafeBytes(of: &file.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            let path = folder + "/" + name
            guard stat(path, &status) == 0 else { continue }
            let isDraft = name.contains(".blob.") || name.contains(".network.")
            if isDraft, status.st_mtim.tv_sec < outdated { unlink(path) }
            guard !isDraft, name.hasSuffix(".blob") || name.hasSuffix(".network") else { continue }
            let isBlob = name.hasSuffix(".blob")
            var entry = entries[String(name.dropLast(isBlob ? 5 : 8))] ?? Entry()
            entry.lastUse = max(entry.lastUse, status.st_mtim.tv_sec)
            if isBlob { entry.hasBlob = true } else { entry.hasText = true }
            entries[String(name.dropLast(isBlob ? 5 : 8))] = entry
        }
        remove(entries.filter { $0.value.hasBlob && $0.value.hasText }, beyond: Self.largestCount)
        remove(entries.filter { !$0.value.hasBlob }, beyond: Self.largestDescriptionCount)
        // A blob without a text is being written, or is of no use.
        remove(entries.filter { !$0.value.hasText && $0.value.lastUse < outdated }, beyond: 0)
    }

    private func remove(_ entries: [String: Entry], beyond count: Int) {
        for (name, _) in entries.sorted(by: { $0.value.lastUse > $1.value.lastUse }).dropFirst(count) {
            unlink(folder + "/" + name + ".network")
            unlink(folder + "/" + name + ".blob")
        }
    }

    /// Compiled networks, which take megabytes each.
    private static let largestCount = 40
    /// Descriptions, which take a kilobyte each.
    private static let largestDescriptionCount = 200

    /// Half-written files that are older, in seconds, are nobody's any more.
    private static let longestWriting = 3600
}
