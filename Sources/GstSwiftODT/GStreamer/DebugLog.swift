import CODTGStreamer
import CSwiftODTElement
import GstFrames
import SwiftODT

/// Logs to the debug category `swiftodt`, with the element as the object of each line. `GST_DEBUG=swiftodt:6` enables
/// the levels up to LOG.
///
/// The level INFO is for decisions and their reasons, DEBUG for changes in the stream, LOG for frames, and TRACE for
/// objects. The levels WARNING and ERROR are for the warnings and errors that are posted on the bus.
extension ElementHandle {
    /// If the level is disabled, the call costs one comparison, and the text is not evaluated.
    @inline(__always)
    func log(
        _ level: GstDebugLevel, _ text: @autoclosure () -> String, file: StaticString = #fileID,
        function: StaticString = #function, line: Int32 = #line
    ) {
        guard isLogging(level) else { return }
        write(level, text(), file: file, function: function, line: line)
    }

    /// Returns whether a level is enabled. Callers that log several texts check it once.
    @inline(__always)
    func isLogging(_ level: GstDebugLevel) -> Bool { swiftodt_logs(level) != 0 }

    /// Runs `work`. Logs the diagnostics that the library SwiftODT reports during the call.
    func listening<Result>(to work: () throws -> Result) rethrows -> Result {
        guard isLogging(.warning) else { return try work() }
        return try Diagnostics.listening(log, to: work)
    }

    func log(_ fact: Diagnostics.Entry) {
        log(GstDebugLevel(fact.level), fact.text, file: fact.file, function: fact.function, line: fact.line)
    }

    private func write(
        _ level: GstDebugLevel, _ text: String, file: StaticString, function: StaticString, line: Int32
    ) {
        swiftodt_log(element, level, file.cString, function.cString, line, text)
    }
}

extension StaticString {
    /// A pointer to the text with a terminating zero byte. It is valid until the process ends.
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

enum GstText {
    static func of(_ caps: UnsafePointer<GstCaps>?) -> String {
        caps.flatMap { String(freeing: gst_caps_to_string($0)) } ?? "none"
    }

    static func of(_ value: UnsafePointer<GValue>) -> String {
        String(freeing: gst_value_serialize(value)) ?? "nothing"
    }

    static var version: String { String(freeing: gst_version_string()) ?? "GStreamer" }
}
