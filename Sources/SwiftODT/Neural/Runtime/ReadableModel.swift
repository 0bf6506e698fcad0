import Glibc

/// A network's file as the runtime can read it: the file itself, or a copy without an end that the runtime does not know, which
/// is gone when it has been read.
final class ReadableModel {
    let path: String
    private let isCopy: Bool

    init(_ file: ModelFile) throws {
        guard let model = try FlatBuffer.read(tflite: file.path), let end = TFLitePostProcess(model: model) else {
            path = file.path
            isCopy = false
            return
        }
        let bytes = end.cut(model.bytes)
        let template = (DataFolders.environment("TMPDIR") ?? "/tmp") + "/swiftodt-XXXXXX.tflite"
        var name = Array(template.utf8CString)
        let copy = mkstemps(&name, 7)
        guard copy >= 0 else {
            throw ODTError(.failed, "\(file.name) has to be copied to be read, but \(template) cannot be written")
        }
        path = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        isCopy = true
        var written = 0
        while written < bytes.count {
            let step = bytes.withUnsafeBytes { write(copy, $0.baseAddress! + written, bytes.count - written) }
            if step <= 0 { break }
            written += step
        }
        close(copy)
        guard written == bytes.count else {
            throw ODTError(
                .failed, "\(file.name) has to be copied to be read, but \(path) cannot be written whole")
        }
    }

    deinit { if isCopy { unlink(path) } }
}
