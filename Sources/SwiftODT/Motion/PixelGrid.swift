/// A value for every pixel of a plane in row order, at a stable address.
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
