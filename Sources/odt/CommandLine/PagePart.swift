import CPages

extension SwiftOdtPagePart {
    /// The content of the file, which is embedded in the program.
    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: text, count: size) }
}
