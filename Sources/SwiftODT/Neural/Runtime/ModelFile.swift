import Glibc

/// A model file on disk, checked before the runtime reads it.
struct ModelFile: Hashable {
    /// The path as the user gave it, for messages.
    let name: String
    private let identity: Identity

    /// The identity of a model and the state of its files. It changes when one of the files is rewritten.
    private struct Identity: Hashable {
        let path: String
        /// The states of the file itself and of separate weight files.
        let states: [FileState]
    }

    private struct FileState: Hashable {
        let path: String
        let bytes: Int
        let seconds: Int
        let nanoseconds: Int

        init(path: String, _ status: stat) {
            self.path = path
            bytes = status.st_size
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }

        /// - Returns: `nil` if the file does not exist.
        init?(path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            self.init(path: path, status)
        }

        var text: String { "\(bytes) bytes of \(seconds).\(nanoseconds) in \(path)" }
    }

    /// - Throws: ``ODTError`` if the file cannot be read, or is not a model by its extension or first bytes.
    init(_ name: String) throws {
        var status = stat()
        guard let path = DataFolders.canonicalPath(name), stat(path, &status) == 0 else {
            throw ODTError(.fileNotFound, "there is no model file \(name)")
        }
        guard Self.isReadableFile(path) else {
            throw ODTError(.fileNotFound, "the model file \(name) cannot be read: it is no file, or not allowed")
        }
        guard Self.extensions.contains(where: { path.hasSuffix("." + $0) }) else {
            throw ODTError(
                .unsupported,
                "\(name) is no network by its name; those that can be read end in "
                    + Self.extensions.map { "." + $0 }.joined(separator: ", "))
        }
        guard status.st_size > 0 else { throw ODTError(.invalidFile, "the model file \(name) is empty") }
        if path.hasSuffix(".xml"), let weights = Self.weights(of: path).first, !Self.isReadableFile(weights) {
            throw ODTError(
                .fileNotFound, "the model file \(name) lacks its weights: the .bin file of the same name beside it")
        }
        // The following steps open files: this one, the runtime's libraries, the cache.
        try FreeDescriptors.require()
        try FreeAddressSpace.require()
        guard Self.beginsRight(path) else {
            throw ODTError(
                .invalidFile,
                "\(name) is not what its name says: a network that ends so begins differently; fetch it again")
        }
        self.name = name
        identity = Identity(
            path: path, states: [FileState(path: path, status)] + Self.weights(of: path).compactMap(FileState.init))
    }

    /// The absolute path.
    var path: String { identity.path }

    /// A text of the files and their states, which changes when one of the files is rewritten.
    var identityText: String { identity.states.map(\.text).joined(separator: ", ") }

    /// A checksum of the files' contents, independent of their paths and times. Reads all files.
    var contentSum: String {
        identity.states.map { String(FileBlock($0.path)?.sum ?? 0, radix: 16) }.joined(separator: "-")
    }

    /// Returns the paths of separate weight files, existing or not. An ONNX file may name any; these are the names
    /// that exporters use.
    private static func weights(of path: String) -> [String] {
        if path.hasSuffix(".xml") { return [path.dropLast(4) + ".bin"] }
        if path.hasSuffix(".pdmodel") { return [path.dropLast(8) + ".pdiparams"] }
        if path.hasSuffix(".onnx") { return [path + ".data", path + "_data"] }
        return []
    }

    /// Excludes pipes, which would block the runtime, and devices, which it would read without end.
    private static func isReadableFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, R_OK) == 0
    }

    private static let extensions = ["xml", "onnx", "tflite", "pb", "pdmodel"]

    /// Returns whether the first bytes match the format, for formats with a signature. Otherwise the runtime would
    /// try all of its readers, each with its own messages.
    private static func beginsRight(_ path: String) -> Bool {
        var start = [UInt8](repeating: 0, count: 4096)
        guard let file = fopen(path, "rb") else { return false }
        defer { fclose(file) }
        let count = fread(&start, 1, start.count, file)
        if path.hasSuffix(".tflite") { return count > 8 && start[4..<8].elementsEqual("TFL3".utf8) }
        if path.hasSuffix(".xml") { return String(decoding: start[..<count], as: UTF8.self).contains("<net") }
        return true
    }

    static func == (a: ModelFile, b: ModelFile) -> Bool { a.identity == b.identity }

    func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
