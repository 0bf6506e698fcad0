import Glibc

/// Keeps on disk what is costly to find out: descriptions of networks, and compiled ones.
///
/// The runtime has a cache of its own, but to look something up in it a network must first be read and hashed, which for
/// quantised ones takes longer than all the rest. Here the file's identity is enough. What is found is checked against a sum
/// before the runtime sees it, so that damage on disk costs time and nothing else; a folder that cannot be written does no harm.
struct NetworkCache {
    private let runtime: OpenVINO
    private let folder: String

    /// - Returns: `nil` where nothing can be kept.
    init?(runtime: OpenVINO, folder: String? = DataFolders.cache) {
        guard let folder, folder.hasPrefix("/") else { return nil }
        let ends = folder.indices.filter { folder[$0] == "/" }.dropFirst() + [folder.endIndex]
        for end in ends { mkdir(String(folder[..<end]), 0o700) }
        guard access(folder, W_OK | X_OK) == 0 else { return nil }
        self.runtime = runtime
        self.folder = folder
    }

    // MARK: Descriptions

    func description(of file: ModelFile) -> NetworkDescription? {
        let key = "description of \(file.identityText)"
        return entry(key).flatMap { NetworkDescription(text: $0.rest) }
    }

    func keep(_ description: NetworkDescription, of file: ModelFile) {
        write(key: "description of \(file.identityText)", sum: 0, text: description.text)
    }

    // MARK: Compiled networks

    func compiled(
        _ file: ModelFile, input: NetworkInput, target: CompilationTarget
    ) -> (CompiledModel, NetworkDescription)? {
        let key = self.key(file, input: input, target: target)
        guard let entry = entry(key), let description = NetworkDescription(text: entry.rest) else { return nil }
        guard let bytes = FileBlock(path(key, ".blob")), bytes.sum == entry.sum else { return nil }
        return CompiledModel.restore(bytes, for: target, runtime: runtime).map { ($0, description) }
    }

    func keep(
        _ compiled: CompiledModel, _ description: NetworkDescription, of file: ModelFile, input: NetworkInput,
        target: CompilationTarget
    ) {
        let key = self.key(file, input: input, target: target)
        let blob = path(key, ".blob")
        let draft = blob + ".\(getpid())"
        guard compiled.export(to: draft), let sum = FileBlock(draft)?.sum, rename(draft, blob) == 0 else {
            unlink(draft)
            return
        }
        write(key: key, sum: sum, text: description.text)
        prune()
    }

    /// To be counted up whenever files are prepared in another way than before.
    private static let way = 4

    private func key(_ file: ModelFile, input: NetworkInput, target: CompilationTarget) -> String {
        "\(target.hint) with \(target.threads) threads on \(target.device), \(runtime.fullName(of: target.device)), "
            + "fed \(input), read in way \(Self.way), of \(file.identityText)"
    }

    // MARK: Files

    /// A text file holds the whole key, the sum of the blob beside it, and a description.
    private func entry(_ key: String) -> (sum: UInt64, rest: String)? {
        let text = FileBlock(path(key, ".network")).map { String(decoding: $0.content, as: UTF8.self) }
        guard let lines = text?.split(separator: "\n", maxSplits: 2), lines.count == 3,
            lines[0] == "OpenVINO \(runtime.version), \(key)", let sum = UInt64(lines[1])
        else { return nil }
        return (sum, String(lines[2]))
    }

    private func write(key: String, sum: UInt64, text: String) {
        let path = path(key, ".network")
        let draft = path + ".\(getpid())"
        guard let file = fopen(draft, "wx") else { return }
        let written = fputs("OpenVINO \(runtime.version), \(key)\n\(sum)\n\(text)\n", file) >= 0
        if fclose(file) != 0 || !written || rename(draft, path) != 0 { unlink(draft) }
    }

    private func path(_ key: String, _ ending: String) -> String {
        let sum = Array(key.utf8).withUnsafeBytes(FileBlock.sum)
        return folder + "/" + String(sum, radix: 16) + ending
    }

    /// Keeps the cache from growing for ever: the compiled networks that were used least recently go.
    private func prune() {
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        var blobs: [(time: Int, path: String)] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            let path = folder + "/" + name
            if name.hasSuffix(".blob"), stat(path, &status) == 0 { blobs.append((status.st_atim.tv_sec, path)) }
        }
        for blob in blobs.sorted(by: { $0.time > $1.time }).dropFirst(Self.largestCount) {
            unlink(blob.path)
            unlink(blob.path.dropLast(5) + ".network")
        }
    }

    private static let largestCount = 40
}
