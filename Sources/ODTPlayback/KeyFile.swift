import CODTGStreamer
import SwiftODT

/// A configuration file of groups and keys in the syntax of GLib's key files:
///
///     [camera front]
///     source=rtsp://192.168.1.20/stream1
///
/// GLib parses the values. This type splits the lines itself, because error messages name line numbers, which GLib does
/// not expose.
package struct KeyFile: Sendable {
    package struct Entry: Sendable {
        package let key: String
        package var value: String
        /// The file name and line number of the entry, for example `watch.conf:2`.
        package let place: String
    }

    package struct Group: Sendable {
        package let name: String
        package let place: String
        package internal(set) var entries: [Entry] = []
    }

    package private(set) var groups: [Group] = []

    private static let limit = 1 << 20

    /// - Throws: ``PlaybackError`` if the file cannot be read or is invalid. For an invalid line, the text contains the
    ///   line number.
    package init(_ name: String) throws {
        let bytes: [UInt8]
        do {
            bytes = try FileBytes.read(name, limit: Self.limit)
        } catch {
            throw PlaybackError("\(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PlaybackError("\(name) is not UTF-8", isUsage: true)
        }
        try self.init(text, name: name)
    }

    package init(_ text: String, name: String) throws {
        let values = g_key_file_new()
        defer { g_key_file_unref(values) }
        // Some editors write a byte order mark.
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let place = "\(name):\(number + 1)"
            let line = Self.trimmed(line)
            if line.isEmpty || line.first == "#" { continue }
            if line.first == "[" {
                try begin(line, at: place)
            } else {
                try add(line, at: place, by: values)
            }
        }
    }

    private mutating func begin(_ line: Substring, at place: String) throws {
        guard line.last == "]", line.count > 2, !line.dropFirst().dropLast().contains(where: { "[]".contains($0) })
        else { throw PlaybackError("\(place): expected a group such as [camera front], not '\(line)'", isUsage: true) }
        let name = String(line.dropFirst().dropLast())
        if let other = groups.first(where: { $0.name == name }) {
            throw PlaybackError("\(place): [\(name)] is already defined at \(other.place)", isUsage: true)
        }
        groups.append(Group(name: name, place: place))
    }

    private mutating func add(_ line: Substring, at place: String, by values: OpaquePointer?) throws {
        guard let equals = line.firstIndex(of: "="), equals != line.startIndex else {
            throw PlaybackError(
                "\(place): '\(line)' is not a [group], a key=value or a #comment", isUsage: true)
        }
        let key = String(Self.trimmed(line[..<equals]))
        guard let group = groups.last else {
            throw PlaybackError("\(place): '\(key)' is outside a group; write a [group] line first", isUsage: true)
        }
        if let other = group.entries.first(where: { $0.key == key }) {
            throw PlaybackError("\(place): \(key) is already set at \(other.place)", isUsage: true)
        }
        // White space around a value is removed. A space at the start or end of the value is written as `\s`.
        g_key_file_set_value(values, "value", "value", String(Self.trimmed(line[equals...].dropFirst())))
        var problem: UnsafeMutablePointer<GError>?
        // After an unknown escape sequence GLib returns a string and also an error, so the error decides whether the
        // value is valid.
        let value = g_key_file_get_string(values, "value", "value", &problem)
        defer { g_free(value) }
        guard let value, problem == nil else {
            g_clear_error(&problem)
            throw PlaybackError(
                "\(place): invalid value of \(key): write a backslash as \\\\, and the whole value on one line",
                isUsage: true)
        }
        groups[groups.count - 1].entries.append(Entry(key: key, value: String(cString: value), place: place))
    }

    package static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
