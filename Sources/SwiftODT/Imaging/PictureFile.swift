import Glibc

extension Picture {
    /// Reads a PNG or JPEG file, recognised by its first bytes, whatever its name.
    ///
    /// Transparent parts of a PNG become white. A JPEG's EXIF orientation becomes ``orientation``; the pixels stay as stored.
    /// - Throws: ``ODTError`` that says whether the file is missing, broken or of another kind, or what to install.
    public convenience init(contentsOfFile path: String) throws {
        let bytes = try Self.read(path)
        do {
            try self.init(encoded: bytes)
        } catch let error as ODTError {
            throw ODTError(error.reason, "\(path): \(error)")
        }
    }

    /// Reads a PNG or JPEG picture that lies in memory.
    public convenience init(encoded bytes: [UInt8]) throws {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            try self.init(png: bytes)
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            try self.init(jpeg: bytes)
        } else {
            throw ODTError(.unsupported, "it is neither a PNG nor a JPEG picture; convert it to one of them")
        }
    }

    /// A file with holes can be of any length and take up nothing on disk.
    private static let largestFile = 1 << 30

    private static func read(_ path: String) throws -> [UInt8] {
        // A pipe would keep whoever opens it waiting for somebody to write.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0, let file = fdopen(descriptor, "rb") else {
            let why = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw ODTError(.fileNotFound, "\(path): the picture cannot be opened (\(why))")
        }
        defer { fclose(file) }
        var status = stat()
        guard fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ODTError(.invalidFile, "\(path): a picture is read from a regular file, this is something else")
        }
        let size = Int(status.st_size)
        guard size <= largestFile else {
            throw ODTError(
                .invalidFile, "\(path): \(size) bytes are more than a picture has; is it the right file?")
        }
        return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = fread(buffer.baseAddress, 1, size, file)
            guard count == size else {
                throw ODTError(.invalidFile, "\(path): the picture cannot be read to its end")
            }
        }
    }
}
