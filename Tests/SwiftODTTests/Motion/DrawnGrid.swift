@testable import SwiftODT

/// Creates grids for tests from text or from a function.
enum DrawnGrid {
    /// Returns marks from rows of text: `#` is strong, `+` is weak, other characters are background.
    static func marks(_ rows: String...) -> PixelGrid<UInt8> {
        let grid = PixelGrid<UInt8>(width: rows[0].count, height: rows.count, filled: 0)
        for (y, row) in rows.enumerated() {
            for (x, letter) in row.enumerated() {
                grid.base[y * grid.width + x] =
                    letter == "#" ? BackgroundModel.Mark.strong : letter == "+" ? BackgroundModel.Mark.weak : 0
            }
        }
        return grid
    }

    /// Returns marks as rows of text, with `#` for every mark.
    static func rows(_ marks: PixelGrid<UInt8>) -> [String] {
        (0..<marks.height).map { y in
            String((0..<marks.width).map { marks.base[y * marks.width + $0] == 0 ? "." : "#" })
        }
    }

    /// Returns grey levels from a function of the position.
    static func pixels(width: Int, height: Int, _ level: (_ x: Int, _ y: Int) -> Int) -> [UInt8] {
        (0..<width * height).map { UInt8(clamping: level($0 % width, $0 / width)) }
    }

    /// Returns a background that has been updated with the same pixels for `frames` frames.
    static func background(_ pixels: [UInt8], width: Int, frames: Int = 40) -> BackgroundModel {
        let background = BackgroundModel(width: width, height: pixels.count / width)
        let nothing = [UInt8](repeating: 0, count: pixels.count)
        background.restart(pixels)
        for _ in 0..<frames {
            background.compare(pixels, light: LightChange())
            background.learn(pixels, causes: nothing, elapsed: 0.1)
        }
        return background
    }
}
