import Glibc

/// A model file that the runtime can read: the file itself, or a temporary copy without a final operation that the
/// runtime does not support. The copy is deleted in `deinit`.
final class RuntimeReadableModel {
    let path: String
    private let isCopy: Bool

    init(_ file: ModelFile) throws {
        guard let model = try FlatBuffer.read(tflite: file.path), let end = TFLitePostProcess(model: model) else {
            path = file.path
            isCopy = false
            return
        }
        let folder = DataFolders.environment("TMPDIR") ?? "/tmp"
        let copy = end.cut(model.bytes).withUnsafeBytes {
            UniqueFile.write($0, named: folder + "/swiftodt-", ending: ".tflite")
        }
        guard let copy else {
            throw ODTError(
                .failed,
                "\(file.name) has to be copied to be read, but \(folder) cannot be written to: set TMPDIR to a folder "
                    + "with room for it")
        }
        path = copy
        isCopy = true
    }

    deinit { if isCopy { unlink(path) } }
}
