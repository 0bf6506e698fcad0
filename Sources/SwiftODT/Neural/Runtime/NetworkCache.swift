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
        return withBytes(of: path(key, ".blob")) { bytes in
            guard Self.sum(bytes) == entry.sum else { return nil }
            return CompiledModel.restore(bytes, for: target, runtime: runtime).map { ($0, description) }
        }
    }

    func keep(
        _ compiled: CompiledModel, _ description: NetworkDescription, of file: ModelFile, input: NetworkInput,
        target: CompilationTarget
    ) {
        let key = self.key(file, input: input, target: target)
        let blob = path(key, ".blob")
        let draft = blob + ".\(getpid())"
        guard compiled.export(to: draft), let sum = withBytes(of: draft, Self.sum), rename(draft, blob) == 0 else {
            unlink(draft)
            return
        }
        write(key: key, sum: sum, text: description.text)
        prune()
    }

    private func key(_ file: ModelFile, input: NetworkInput, target: CompilationTarget) -> String {
        "\(target.hint) with \(target.threads) threads on \(target.device), \(runtime.fullName(of: target.device)), "
            + "fed \(input), of \(file.identityText)"
    }

    // MARK: Files

    /// A text file holds the whole key, the sum of the blob beside it, and a description.
    private func entry(_ key: String) -> (sum: UInt64, rest: String)? {
        let text = withBytes(of: path(key, ".network")) { String(decoding: $0, as: UTF8.self) }
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
        let sum = Array(key.utf8).withUnsafeBytes(Self.sum)
        return folder + "/" + String(sum, radix: 16) + ending
    }

    /// Lends out a file's bytes; `nil` where there are none.
    private func withBytes<Answer>(of path: String, _ body: (UnsafeRawBufferPointer) -> Answer?) -> Answer? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_size > 0,
            let base = mmap(nil, status.st_size, PROT_READ, MAP_PRIVATE, file, 0), base != MAP_FAILED
        else { return nil }
        defer { munmap(base, status.st_size) }
        return body(UnsafeRawBufferPointer(start: base, count: status.st_size))
    }

    /// Tells bytes from damaged ones; eight of them at a time, a few milliseconds for the largest networks.
    private static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum = UInt64(bytes.count) &+ 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset &+ 8 <= bytes.count {
            sum = (sum ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0xFF51_AFD7_ED55_8CCD
            sum ^= sum &>> 32
            offset &+= 8
        }
        while offset < bytes.count {
            sum = (sum ^ UInt64(bytes[offset])) &* 0xFF51_AFD7_ED55_8CCD
            sum ^= sum &>> 32
            offset &+= 1
        }
        return sum
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
