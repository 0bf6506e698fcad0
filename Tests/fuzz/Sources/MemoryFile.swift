import Glibc

@_silgen_name("memfd_create")
private func createMemoryFile(_ name: UnsafePointer<CChar>, _ flags: CUnsignedInt) -> CInt

/// One memory file for all inputs, because creating one takes longer than most targets.
private let file: (descriptor: CInt, path: String) = {
    let descriptor = createMemoryFile("fuzz", 0)
    return (descriptor, "/proc/self/fd/\(descriptor)")
}()

/// Calls `body` with the path of a file in memory that has these bytes.
func withMemoryFile(_ bytes: [UInt8], _ body: (_ path: String) -> Void) {
    guard ftruncate(file.descriptor, bytes.count) == 0,
        bytes.withUnsafeBytes({ pwrite(file.descriptor, $0.baseAddress, $0.count, 0) }) == bytes.count
    else { fatalError("cannot write the memory file") }
    body(file.path)
}
