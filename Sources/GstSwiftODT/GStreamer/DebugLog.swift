import CGStreamer
import CSwiftODTElement
import SwiftODT

/// The debug category `swiftodt`, with the element as its object: `GST_DEBUG=swiftodt:6`.
///
/// INFO tells choices and what they rest on, DEBUG what changes in the stream, LOG each frame, TRACE each object. Warnings and
/// errors are those on the bus.
extension ElementHandle {
    /// Tells something where somebody listens; costs one comparison, and no text, where nobody does.
    @inline(__always)
    func log(
        _ level: GstDebugLevel, _ text: @autoclosure () -> String, file: StaticString = #fileID,
        function: StaticString = #function, line: Int32 = #line
    ) {
        guard isLogging(level) else { return }
        write(level, text(), file: file, function: function, line: line)
    }

    /// Whether somebody listens, where more than a text would have to be made.
    @inline(__always)
    func isLogging(_ level: GstDebugLevel) -> Bool { swiftodt_logs(level) != 0 }

    /// Does some work of the library, and tells what the library has to tell of it.
    func listening<Result>(to work: () throws -> Result) rethrows -> Result {
        guard isLogging(.warning) else { return try work() }
        return try Diagnostics.listening(log, to: work)
    }

    /// Tells what the library told.
    func log(_ fact: Diagnostics.Entry) {
        log(GstDebugLevel(fact.level), fact.text, file: fact.file, function: fact.function, line: fact.line)
    }

    private func write(
        _ level: GstDebugLevel, _ text: String, file: StaticString, function: StaticString, line: Int32
    ) {
        swiftodt_log(base, level, file.cString, function.cString, line, text)
    }
}

extension StaticString {
    /// Ends with a zero byte, as the compiler writes them, and lives as long as the process.
    var cString: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}

extension GstDebugLevel {
    static let error = GST_LEVEL_ERROR
    static let warning = GST_LEVEL_WARNING
    static let info = GST_LEVEL_INFO
    static let debug = GST_LEVEL_DEBUG
    static let log = GST_LEVEL_LOG
    static let trace = GST_LEVEL_TRACE

    init(_ level: Diagnostics.Level) {
        switch level {
        case .warning: self = .warning
        case .info: self = .info
        case .debug: self = .debug
        }
    }
}
