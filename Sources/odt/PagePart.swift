import CPages

extension SwiftOdtPagePart {
    /// Its text, which is part of the program.
    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: text, count: size) }
}
