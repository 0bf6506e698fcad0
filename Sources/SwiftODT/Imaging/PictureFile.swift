import Glibc

extension Picture {
    /// Reads a PNG or JPEG file. The first bytes of the file determine the format. The file name is ignored.
    ///
    /// Transparent areas of a PNG file become white. The EXIF orientation of a JPEG file becomes ``orientation``. The
    /// pixels keep their stored order.
    /// - Throws: ``ODTError`` if the file is missing, corrupt or of another format.
    package convenience init(contentsOfFile path: String) throws {
        let bytes = try Self.read(path)
        do {
            try self.init(encoded: bytes)
        } catch let error as ODTError {
            throw ODTError(error.reason, "\(path): \(error)")
        }
    }

    /// Decodes a PNG or JPEG picture from memory.
    package convenience init(encoded bytes: [UInt8]) throws {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            try self.init(png: bytes)
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            try self.init(jpeg: bytes)
        } else {
            throw ODTError(.unsupported, "the data is neither PNG nor JPEG; convert the picture to one of them")
        }
    }

    /// The maximum size of a file in bytes. It limits the memory use, because a sparse file can have any size.
    private static let largestFile = 1 << 30

    private static func read(_ path: String) throws -> [UInt8] {
        // Without `O_NONBLOCK`, opening a FIFO would block until a writer opens it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0, let file = fdopen(descriptor, "rb") else {
            let why = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw ODTError(.fileNotFound, "\(path): cannot open the picture (\(why)); check path and permissions")
        }
        defer { fclose(file) }
        var status = stat()
        guard fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ODTError(.invalidFile, "\(path): not a regular file; pass the path of a picture file")
        }
        let size = Int(status.st_size)
        guard size <= largestFile else {
            throw ODTError(
                .invalidFile, "\(path): \(size) bytes exceed the limit of \(largestFile) for a picture; check the path")
        }
        return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = fread(buffer.baseAddress, 1, size, file)
            guard count == size else {
                throw ODTError(.invalidFile, "\(path): cannot read the whole picture; check the disk and try again")
            }
        }
    }
}
