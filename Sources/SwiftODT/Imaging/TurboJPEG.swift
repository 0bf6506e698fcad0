import Glibc

/// The functions of libturbojpeg that reading a picture takes, found at run time: nothing that links this library needs it.
struct TurboJPEG: Sendable {
    /// What a JPEG file says of itself.
    struct Header {
        let width: Int
        let height: Int
        let isCMYK: Bool
    }

    typealias Decoder = UnsafeMutableRawPointer
    private typealias Create = @convention(c) () -> Decoder?
    private typealias Destroy = @convention(c) (Decoder) -> CInt
    private typealias ReadHeader =
        @convention(c) (
            Decoder, UnsafePointer<UInt8>?, CUnsignedLong, UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>,
            UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>
        ) -> CInt
    private typealias Decompress =
        @convention(c) (
            Decoder, UnsafePointer<UInt8>?, CUnsignedLong, UnsafeMutablePointer<UInt8>, CInt, CInt, CInt, CInt, CInt
        ) -> CInt
    private typealias ErrorText = @convention(c) (Decoder) -> UnsafePointer<CChar>?
    private typealias ErrorCode = @convention(c) (Decoder) -> CInt

    // Values of turbojpeg.h.
    private static let pixelsBGRX: CInt = 3
    private static let pixelsCMYK: CInt = 11
    private static let firstCMYKColorSpace: CInt = 3
    private static let fatal: CInt = 1

    private let create: Create
    private let destroyDecoder: Destroy
    private let readHeader: ReadHeader
    private let decompress: Decompress
    private let errorText: ErrorText
    private let errorCode: ErrorCode

    /// Loaded once a process.
    static let shared = Result { try TurboJPEG(library: "libturbojpeg.so.0") }

    /// - Throws: ``ODTError`` that names the package to install.
    init(library name: String) throws {
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw ODTError(
                .runtimeMissing,
                "JPEG pictures need \(name), which is not installed; get it with: apt-get install libturbojpeg0")
        }
        func find<Function>(_ symbol: String, as type: Function.Type) throws -> Function {
            guard let address = dlsym(library, symbol) else {
                throw ODTError(
                    .runtimeMissing,
                    "\(name) lacks \(symbol); install a libturbojpeg0 of version 1.5 to 3.x, as Debian has it")
            }
            return unsafeBitCast(address, to: type)
        }
        create = try find("tjInitDecompress", as: Create.self)
        destroyDecoder = try find("tjDestroy", as: Destroy.self)
        readHeader = try find("tjDecompressHeader3", as: ReadHeader.self)
        decompress = try find("tjDecompress2", as: Decompress.self)
        errorText = try find("tjGetErrorStr2", as: ErrorText.self)
        errorCode = try find("tjGetErrorCode", as: ErrorCode.self)
    }

    func decoder() throws -> Decoder {
        guard let decoder = create() else { throw ODTError(.failed, "TurboJPEG cannot be started") }
        return decoder
    }

    func destroy(_ decoder: Decoder) { _ = destroyDecoder(decoder) }

    func header(_ bytes: [UInt8], _ decoder: Decoder) throws -> Header {
        var (width, height, subsampling, colorSpace): (CInt, CInt, CInt, CInt) = (0, 0, 0, 0)
        let code = readHeader(
            decoder, bytes, CUnsignedLong(bytes.count), &width, &height, &subsampling, &colorSpace)
        try check(code, decoder)
        guard width > 0, height > 0 else { throw broken(decoder) }
        return Header(width: Int(width), height: Int(height), isCMYK: colorSpace >= Self.firstCMYKColorSpace)
    }

    /// Writes 4 bytes a pixel: blue, green, red, unused; or the inks, where the header says so.
    func decode(_ bytes: [UInt8], _ header: Header, _ decoder: Decoder, into memory: UnsafeMutableRawPointer) throws {
        let code = decompress(
            decoder, bytes, CUnsignedLong(bytes.count), memory.assumingMemoryBound(to: UInt8.self),
            CInt(header.width), 0, CInt(header.height), header.isCMYK ? Self.pixelsCMYK : Self.pixelsBGRX, 0)
        try check(code, decoder)
    }

    /// Warnings are let pass: many a camera writes a few bytes too many, and what could be read is there.
    private func check(_ code: CInt, _ decoder: Decoder) throws {
        if code != 0, errorCode(decoder) == Self.fatal { throw broken(decoder) }
    }

    private func broken(_ decoder: Decoder) -> ODTError {
        let why = errorText(decoder).map { String(cString: $0) } ?? "no reason given"
        return ODTError(.invalidFile, "the JPEG picture is broken or of a rare kind (\(why))")
    }
}
