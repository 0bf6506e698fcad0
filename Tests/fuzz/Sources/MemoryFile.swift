import Glibc

@_silgen_name("memfd_create")
private func createMemoryFile(_ name: UnsafePointer<CChar>, _ flags: CUnsignedInt) -> CInt

/// One for all inputs: making one takes longer than most readers do.
private let file: (descriptor: CInt, path: String) = {
    let descriptor = createMemoryFile("fuzz", 0)
    return (descriptor, "/proc/self/fd/\(descriptor)")
}()

/// Hands bytes to what reads files by their path, without a disk.
func withMemoryFile(_ bytes: [UInt8], _ body: (_ path: String) -> Void) {
    guard ftruncate(file.descriptor, bytes.count) == 0,
        bytes.withUnsafeBytes({ pwrite(file.descriptor, $0.baseAddress, $0.count, 0) }) == bytes.count
    else { fatalError("no file in memory") }
    body(file.path)
}
