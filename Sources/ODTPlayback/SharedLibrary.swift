import Glibc

/// A library that is loaded at run time. If the library is missing, only the feature that needs it fails.
///
/// `@unchecked Sendable`: all properties are constant, and `dlsym` is thread-safe.
///
///     let sqlite = try SharedLibrary("libsqlite3.so.0", package: "libsqlite3-0", for: "--store")
///     let open = try sqlite.function("sqlite3_open_v2", as: (@convention(c) (...) -> Int32).self)
package struct SharedLibrary: @unchecked Sendable {
    package let name: String
    private let package: String
    private let purpose: String
    private let handle: UnsafeMutableRawPointer

    /// Loads the library. It stays loaded until the process ends.
    ///
    /// - Parameter purpose: The option or feature that needs the library, for error messages.
    /// - Throws: ``PlaybackError`` if the library is missing. The text names the Debian package.
    package init(_ name: String, package: String, for purpose: String) throws {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw PlaybackError("\(purpose) needs \(name): apt install \(package)")
        }
        (self.name, self.package, self.purpose, self.handle) = (name, package, purpose, handle)
    }

    /// - Parameter type: A `@convention(c)` function type that matches the declaration in the library's header.
    /// - Throws: ``PlaybackError`` if the installed version of the library lacks the function.
    package func function<Function>(_ symbol: String, as type: Function.Type = Function.self) throws -> Function {
        guard let address = dlsym(handle, symbol) else {
            throw PlaybackError("\(purpose) needs a version of \(name) with \(symbol): apt install \(package)")
        }
        return unsafeBitCast(address, to: type)
    }
}
