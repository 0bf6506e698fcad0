/// One value for every pixel of a plane, row by row, at an address that stays.
final class PixelGrid<Value: BitwiseCopyable> {
    let width: Int
    let height: Int
    let count: Int
    let base: UnsafeMutablePointer<Value>

    init(width: Int, height: Int, filled value: Value) {
        self.width = width
        self.height = height
        count = width * height
        base = .allocate(capacity: count)
        base.initialize(repeating: value, count: count)
    }

    deinit { base.deallocate() }

    func fill(_ value: Value) { base.update(repeating: value, count: count) }
}
