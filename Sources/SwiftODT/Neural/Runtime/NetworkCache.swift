import Glibc

/// A cache of network descriptions and compiled networks on disk.
///
/// The runtime has its own cache, but it must read and hash a network before each lookup. For quantised networks, this
/// takes longer than all other steps. This cache instead identifies files by their paths, sizes and modification times.
///
/// Checksums verify all content before it is used. A damaged entry is discarded, and the network is compiled again. A
/// folder without write permission is not an error. Two processes may write the same entry at the same time. If the
/// entry then consists of files from both processes, its checksums do not match, and it is discarded.
struct NetworkCache {
    private let runtime: OpenVINO
    private let folder: String

    /// Returns `nil` if the folder cannot be created or read.
    init?(runtime: OpenVINO, folder: String? = DataFolders.cache) {
        guard let folder, Self.make(folder: folder) else { return nil }
        self.runtime = runtime
        self.folder = folder
    }

    /// Creates a folder and its parent folders. Returns whether the folder exists and can be read.
    static func make(folder: String) -> Bool {
        guard folder.hasPrefix("/") else { return false }
        let ends = folder.indices.filter { folder[$0] == "/" }.dropFirst() + [folder.endIndex]
        for end in ends { mkdir(String(folder[..<end]), 0o700) }
        return access(folder, R_OK | X_OK) == 0
    }

    // MARK: Descriptions

    func description(of file: ModelFile) -> NetworkDescription? {
        entry("description of \(file.identityText)").flatMap { NetworkDescription(text: $0.description) }
    }

    func keep(_ description: NetworkDescription, of file: ModelFile) {
        if writeEntry(key: "description of \(file.identityText)", sum: 0, text: description.text) { prune() }
    }

    // MARK: Compiled networks

    /// Returns `nil` if the cache has no usable entry for the file, the input format and the target.
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
        // The network is exported to memory and then written with `write`, which reports a full disk. The runtime would
        // not report it. Under a file size limit, networks are not cached.
        guard UniqueFile.fileSizeLimit == .max, let bytes = compiled.exported(),
            write(bytes.content, to: path(key, ".blob")),
            writeEntry(key: key, sum: bytes.sum, text: description.text)
        else {
            Diagnostics.report(
                .info,
                "cannot store the compiled \(file.name) in the cache \(folder); each start compiles it again")
            return
        }
        prune()
    }

    /// The version of ``LoadedModel/prepared(_:for:runtime:)``. Increase it whenever the adaptation of models changes,
    /// because cached networks were compiled with the old adaptation.
    private static let formatVersion = 5

    private func key(_ file: ModelFile, input: NetworkInput, target: CompilationTarget) -> String {
        "\(target.hint) with \(target.threads) threads on \(target.device), \(runtime.fullName(of: target.device)), "
            + "fed \(input), read in way \(Self.formatVersion)\(TFLiteWeights.overflow ? ", rescaled" : ""), of "
            + file.identityText
    }

    // MARK: Files

    /// Reads the text file of an entry. The first line is the full key, the second line the checksum of the blob, and
    /// the third line the checksum of all other lines. The description of the network follows. Returns `nil` if the
    /// entry does not exist or is damaged.
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
        // Records the time of the last use as the modification time. The access time is not updated on file systems
        // that are mounted with `noatime`.
        utimensat(AT_FDCWD, path(key, ".network"), nil, 0)
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

    /// Replaces an earlier file atomically: readers get either the old or the new content.
    private func write(_ bytes: UnsafeRawBufferPointer, to path: String) -> Bool {
        guard UniqueFile.fileSizeLimit == .max, let new = UniqueFile.write(bytes, named: path + ".") else {
            return false
        }
        guard rename(new, path) == 0 else {
            unlink(new)
            return false
        }
        return true
    }

    private func remove(_ key: String) {
        Diagnostics.report(.info, "the cache entry \(path(key, ".network")) is damaged and is removed")
        unlink(path(key, ".network"))
        unlink(path(key, ".blob"))
    }

    private func path(_ key: String, _ ending: String) -> String {
        let sum = Array(key.utf8).withUnsafeBytes(FileBlock.sum)
        return folder + "/" + String(sum, radix: 16) + ending
    }

    /// A `.network` text file and, for a compiled network, a `.blob` file.
    private struct Entry {
        /// In seconds since 1970.
        var lastUse = 0
        var hasText = false
        var hasBlob = false
    }

    /// Removes the least recently used entries if there are too many entries. Also removes temporary files that killed
    /// processes have left.
    private func prune() {
        let outdated = time(nil) - Self.longestWriting
        var entries: [String: Entry] = [:]
        for name in FilePath.names(in: folder) {
            var status = stat()
            let path = folder + "/" + name
            guard stat(path, &status) == 0 else { continue }
            let isDraft = name.contains(".blob.") || name.contains(".network.")
            if isDraft, status.st_mtim.tv_sec < outdated { unlink(path) }
            guard !isDraft, name.hasSuffix(".blob") || name.hasSuffix(".network") else { continue }
            let isBlob = name.hasSuffix(".blob")
            let stem = String(name.dropLast(isBlob ? 5 : 8))
            var entry = entries[stem] ?? Entry()
            entry.lastUse = max(entry.lastUse, status.st_mtim.tv_sec)
            if isBlob { entry.hasBlob = true } else { entry.hasText = true }
            entries[stem] = entry
        }
        remove(entries.filter { $0.value.hasBlob && $0.value.hasText }, beyond: Self.largestCount)
        remove(entries.filter { !$0.value.hasBlob }, beyond: Self.largestDescriptionCount)
        // If an entry has a blob but no text file, a process is still writing the entry. If the blob is old, the
        // process has abandoned the entry.
        remove(entries.filter { !$0.value.hasText && $0.value.lastUse < outdated }, beyond: 0)
    }

    /// Removes all but the `count` most recently used entries.
    private func remove(_ entries: [String: Entry], beyond count: Int) {
        for (name, _) in entries.sorted(by: { $0.value.lastUse > $1.value.lastUse }).dropFirst(count) {
            unlink(folder + "/" + name + ".network")
            unlink(folder + "/" + name + ".blob")
        }
    }

    /// The maximum number of compiled networks in the cache. Each network takes megabytes.
    private static let largestCount = 40
    /// The maximum number of descriptions without a compiled network. Each takes about a kilobyte.
    private static let largestDescriptionCount = 200

    /// A temporary file or an entry without a text file counts as abandoned if it is older than this time, in seconds.
    private static let longestWriting = 3600
}

/// The state of the ``NetworkCache`` on disk, for reports.
///
///     let state = NetworkCacheState.read()
///     print(state.folder ?? "nowhere", state.count, state.bytes)
package struct NetworkCacheState: Sendable {
    /// `nil` for users without a home directory.
    package let folder: String?
    package let isWritable: Bool
    /// The number and the total size of the compiled networks.
    package let count: Int
    package let bytes: Int
    /// The free space on the disk in bytes. `nil` if the folder does not exist.
    package let freeBytes: Int?

    /// Creates the folder if it does not exist.
    package static func read() -> NetworkCacheState {
        guard let folder = DataFolders.cache, NetworkCache.make(folder: folder) else {
            return NetworkCacheState(folder: DataFolders.cache, isWritable: false, count: 0, bytes: 0, freeBytes: nil)
        }
        let blobs = FilePath.names(in: folder).filter { $0.hasSuffix(".blob") }
        var disk = statvfs()
        let free =
            statvfs(folder, &disk) == 0
            ? Int(clamping: disk.f_bavail.multipliedFullWidth(by: UInt(disk.f_frsize)).low) : nil
        return NetworkCacheState(
            folder: folder, isWritable: access(folder, W_OK | X_OK) == 0, count: blobs.count,
            bytes: blobs.reduce(0) { $0 + (FileBytes.size(folder + "/" + $1) ?? 0) }, freeBytes: free)
    }
}

/// The text form of a network description in the cache. An example of a line is `input float32 1,3,?,? images`.
extension NetworkDescription {
    var text: String {
        (inputs.map { "input " + $0.text } + outputs.map { "output " + $0.text }).joined(separator: "\n")
    }

    /// Returns `nil` if the text is not a description.
    init?(text: some StringProtocol) {
        var inputs: [TensorDescription] = []
        var outputs: [TensorDescription] = []
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 1)
            guard fields.count == 2, let tensor = TensorDescription(text: fields[1]) else { return nil }
            switch fields[0] {
            case "input": inputs.append(tensor)
            case "output": outputs.append(tensor)
            default: return nil
            }
        }
        guard !inputs.isEmpty, !outputs.isEmpty else { return nil }
        self.init(inputs: inputs, outputs: outputs)
    }
}

extension TensorDescription {
    fileprivate var text: String {
        // The name is the rest of the line, so it must not have line breaks.
        let name = String(name.map { $0.isNewline ? " " : $0 })
        return "\(element.rawValue) \(shape.map { $0.map(String.init) ?? "?" }.joined(separator: ",")) \(name)"
    }

    fileprivate init?(text: some StringProtocol) {
        let fields = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, let element = TensorElement(rawValue: String(fields[0])) else { return nil }
        var shape: [Int?] = []
        for dimension in fields[1].split(separator: ",") {
            guard dimension == "?" || Int(dimension) != nil else { return nil }
            shape.append(Int(dimension))
        }
        self.init(name: String(fields[2]), shape: shape, element: element)
    }
}
