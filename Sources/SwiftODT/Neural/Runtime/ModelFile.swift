import Glibc

/// A model file on disk. The file is checked before the runtime reads it.
struct ModelFile: Hashable {
    /// The path as the user specified it, for messages.
    let name: String
    /// The states of the model file (first) and of its separate weight files. If one of these files changes, a new
    /// `ModelFile` of the same path differs from the earlier one.
    private let states: [FileState]

    private struct FileState: Hashable {
        let path: String
        let bytes: Int
        /// The times of the last modification and of the last change of the file's entry. The second one differs even
        /// if a replaced file has the same modification time, as in reproducible packages.
        let times: [Int]

        /// Returns `nil` if the file does not exist.
        init?(path: String) {
            var status = stat()
            guard PathText.withSystemPath(path, { stat($0, &status) }) == 0 else { return nil }
            self.path = path
            bytes = status.st_size
            times = [status.st_mtim, status.st_ctim].flatMap { [$0.tv_sec, $0.tv_nsec] }
        }

        var text: String { "\(bytes) bytes of \(times.map(String.init).joined(separator: ".")) in \(path)" }
    }

    /// - Throws: ``ODTError`` if the file cannot be read, or if its extension or its first bytes show that it is not a
    ///   model.
    init(_ name: String) throws {
        guard let path = FilePath.canonical(name), let state = FileState(path: path) else {
            throw ODTError(.fileNotFound, "there is no model file \(name)")
        }
        guard Self.isReadableFile(path) else {
            throw ODTError(
                .fileNotFound,
                "cannot read the model file \(name): it is not a regular file, or its permissions do not allow it")
        }
        guard let format = ModelFormat(file: path) else {
            throw ODTError(
                .unsupported,
                "\(name) does not have the extension of a network; supported extensions are "
                    + ModelFormat.allCases.map { "." + $0.rawValue }.joined(separator: ", "))
        }
        guard state.bytes > 0 else { throw ODTError(.invalidFile, "the model file \(name) is empty") }
        if format == .xml, let weights = Self.weights(of: path).first, !Self.isReadableFile(weights) {
            throw ODTError(
                .fileNotFound,
                "the weights of the model file \(name) are missing: the .bin file of the same name in its folder")
        }
        // The next steps read the model file, load the runtime and open the cache. Without file descriptors or address
        // space, they fail with misleading errors.
        try FreeDescriptors.require()
        try FreeAddressSpace.require()
        guard Self.beginsRight(path) else {
            throw ODTError(
                .invalidFile,
                "the content of \(name) does not match its extension; fetch the file again")
        }
        self.name = name
        states = [state] + Self.weights(of: path).compactMap(FileState.init)
    }

    var path: String { states[0].path }

    /// The paths, sizes and times of the model's files.
    var identityText: String { states.map(\.text).joined(separator: ", ") }

    /// A checksum of the contents of the model's files, independent of their paths and modification times. Computing it
    /// reads all files.
    var contentSum: String {
        states.map { String(FileBlock($0.path)?.sum ?? 0, radix: 16) }.joined(separator: "-")
    }

    /// Returns the paths at which separate weight files can exist.
    private static func weights(of path: String) -> [String] {
        switch ModelFormat(file: path) {
        case .xml: [path.dropLast(4) + ".bin"]
        case .pdmodel: [path.dropLast(8) + ".pdiparams"]
        case .onnx: externalWeights(of: path)
        case .tflite, .pb, nil: []
        }
    }

    /// Returns the names that exporters usually choose, and those that the model contains.
    private static func externalWeights(of path: String) -> [String] {
        let content = (try? FileBytes.read(path, limit: largestSearchedFile)) ?? []
        let named = ONNXGraph.externalFiles(content).map { FilePath.folder(of: path) + "/" + $0 }
        return Set(named + [path + ".data", path + "_data"]).sorted()
    }

    /// The maximum size, in bytes, of an .onnx file that is searched for names of weights files. Larger files probably
    /// contain their weights.
    private static let largestSearchedFile = 1 << 24

    /// Returns whether the path leads to a readable regular file. The runtime would block on a pipe, and would read a
    /// device without end.
    private static func isReadableFile(_ path: String) -> Bool {
        FileBytes.size(path) != nil && PathText.withSystemPath(path) { access($0, R_OK) } == 0
    }

    /// Returns whether the first bytes of the file match its extension. Files of a format without a signature always
    /// match. Without this check, the runtime would try all of its readers on a damaged file, and each reader would log
    /// messages.
    private static func beginsRight(_ path: String) -> Bool {
        let start = try? FileBytes.withDescriptor(path) { (file, _) throws(ODTError) in
            try FileBytes.read(file, from: 0, count: 4096, path: path)
        }
        guard let start else { return false }
        return switch ModelFormat(file: path) {
        case .tflite: start.count > 8 && start[4..<8].elementsEqual("TFL3".utf8)
        case .xml: String(decoding: start, as: UTF8.self).contains("<net")
        case .onnx, .pb, .pdmodel, nil: true
        }
    }

    static func == (a: ModelFile, b: ModelFile) -> Bool { a.states == b.states }

    func hash(into hasher: inout Hasher) { hasher.combine(states) }
}
