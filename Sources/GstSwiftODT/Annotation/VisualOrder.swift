extension String {
    /// The text with its right-to-left words in the order in which they are seen from the left, since that is how
    /// glyphs are laid down one by one. Words of such a script that follow one another are turned round together.
    ///
    /// The plain case of the Unicode rules for a line that runs from left to right; digits within count as its own.
    var inVisualOrder: String {
        guard unicodeScalars.contains(where: \.isRightToLeft) else { return self }
        var seen = ""
        var run: [Character] = []
        // What stands between two right-to-left words goes with them; what follows the last one does not.
        var between: [Character] = []
        for character in self {
            if character.unicodeScalars.first?.isRightToLeft == true {
                run += between
                run.append(character)
                between.removeAll()
            } else if run.isEmpty {
                seen.append(character)
            } else if character.isWhitespace || character.isPunctuation {
                between.append(character)
            } else {
                seen += run.reversed()
                seen += between
                seen.append(character)
                run.removeAll()
                between.removeAll()
            }
        }
        return seen + run.reversed() + between
    }
}

extension Unicode.Scalar {
    /// Whether it belongs to a script that is written from right to left: Hebrew, Arabic and their neighbours.
    fileprivate var isRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
