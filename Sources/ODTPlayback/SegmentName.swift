import Glibc
import SwiftODT

/// The file name of a recorded segment, for example `front-2026-11-22T15-45-01Z.mkv` in the folder of the camera
/// `front`. The time is the time of the first frame in UTC, so that names sort by time even when daylight saving time
/// begins or ends.
package struct SegmentName: Equatable, Sendable {
    package let camera: String
    /// The time of the first frame in nanoseconds since 1970, rounded down to whole seconds.
    package let time: Nanoseconds
    /// A number that distinguishes segments of the same time, which occur when the clock is set back. The number 1 is
    /// omitted from the file name.
    package let number: Int

    private static let second: Nanoseconds = 1_000_000_000

    package init(camera: String, time: Nanoseconds, number: Int = 1) {
        (self.camera, self.number) = (camera, number)
        self.time = max(0, time) / Self.second * Self.second
    }

    package var text: String {
        var moment = time_t(time / Self.second)
        var parts = tm()
        gmtime_r(&moment, &parts)
        func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let day = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        let clock = "\(two(parts.tm_hour))-\(two(parts.tm_min))-\(two(parts.tm_sec))"
        return "\(camera)-\(day)T\(clock)Z\(number > 1 ? "_\(number)" : "").mkv"
    }

    /// Parses the name of a segment's file in the camera's folder. The file may be finished or a part file. Returns
    /// `nil` for the name of any other file.
    package init?(_ file: String, camera: String) {
        guard file.hasPrefix(camera + "-"), file.hasSuffix(".mkv") else { return nil }
        var text = file.dropFirst(camera.count + 1).dropLast(4)
        if let part = text.lastIndex(of: "."), text[part...].dropFirst().hasPrefix("part"),
            text[part...].dropFirst(5).allSatisfy(\.isNumber)
        {
            text = text[..<part]
        }
        guard let end = text.firstIndex(of: "Z") else { return nil }
        let rest = text[text.index(after: end)...]
        let words = text[..<end].split(omittingEmptySubsequences: false) { "-T".contains($0) }
        let digits = [4, 2, 2, 2, 2, 2]
        let numbers = zip(words, digits).compactMap { word, count in
            word.utf8.count == count && word.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int32(word) : nil
        }
        guard words.count == digits.count, numbers.count == digits.count, rest.isEmpty || rest.first == "_",
            let number = rest.isEmpty ? 1 : Int(rest.dropFirst()), number > 0
        else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
        self.init(camera: camera, time: Nanoseconds(timegm(&parts)).times(1_000_000_000), number: number)
        // `timegm` converts an invalid date to another date. An invalid date is recognised because formatting the
        // result gives another text.
        guard self.text == "\(camera)-\(text).mkv" else { return nil }
    }
}
