import Glibc

@_silgen_name("memfd_create")
private func createMemoryFile(_ name: UnsafePointer<CChar>, _ flags: CUnsignedInt) -> CInt

/// Hands bytes to what reads files by their path, without a disk.
func withMemoryFile(_ bytes: [UInt8], _ body: (_ path: String) -> Void) {
    let file = createMemoryFile("fuzz", 0)
    defer { close(file) }
    guard bytes.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == bytes.count else {
        fatalError("no file in memory")
    }
    body("/proc/self/fd/\(file)")
}
