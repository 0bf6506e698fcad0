/// A count with a noun, for example "1 frame" or "2 frames".
package enum CountText {
    /// - Parameter noun: a singular noun whose plural ends in "s".
    package static func text(_ count: some BinaryInteger, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
