/// A count with its noun, as in "1 frame" and "2 frames".
package enum CountText {
    /// - Parameter noun: The singular of a noun whose plural ends in "s".
    package static func text(_ count: some BinaryInteger, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
