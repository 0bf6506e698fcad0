/// One value for every pixel of a plane, row by row, at an address that stays.
final class PixelGrid<Value: BitwiseCopyable> {
    let width: Int
    let height: Int
    let base: UnsafeMutablePointer<Value>

    init(width: Int, height: Int, filled value: Value) {
        self.width = width
        self.height = height
        base = .allocate(capacity: width * height)
        base.initialize(repeating: value, count: width * height)
    }

    deinit { base.deallocate() }

    var count: Int { width * height }

    func fill(_ value: Value) { base.update(repeating: value, count: count) }
}
