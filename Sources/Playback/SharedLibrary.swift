import Glibc

/// A library that is looked for when it is needed: without it what asks for it is missing, and nothing else.
///
///     let sqlite = try SharedLibrary("libsqlite3.so.0", package: "libsqlite3-0", for: "--store")
///     let open = try sqlite.function("sqlite3_open_v2", as: (@convention(c) (...) -> Int32).self)
public struct SharedLibrary: @unchecked Sendable {
    public let name: String
    private let package: String
    private let purpose: String
    private let handle: UnsafeMutableRawPointer

    /// Loads it for the life of the process.
    ///
    /// - Parameters:
    ///   - package: Debian's, that has it.
    ///   - purpose: what is not to be had without it.
    /// - Throws: ``PlaybackError`` that names the package.
    public init(_ name: String, package: String, for purpose: String) throws {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw PlaybackError("\(purpose) needs \(name): apt install \(package)")
        }
        (self.name, self.package, self.purpose, self.handle) = (name, package, purpose, handle)
    }

    /// - Parameter type: a `@convention(c)` function, as the library's header declares it.
    /// - Throws: ``PlaybackError`` where the library has none of that name, being of another version.
    public func function<Function>(_ symbol: String, as type: Function.Type = Function.self) throws -> Function {
        guard let address = dlsym(handle, symbol) else {
            throw PlaybackError("\(purpose) needs a \(name) that has \(symbol): apt install \(package)")
        }
        return unsafeBitCast(address, to: type)
    }
}
