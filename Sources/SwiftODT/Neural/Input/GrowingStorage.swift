/// A buffer that grows and never shrinks, so that repeated use needs no allocation.
final class GrowingStorage<Element: BitwiseCopyable> {
    private(set) var base: UnsafeMutablePointer<Element>
    private var capacity: Int

    init() {
        capacity = 16
        base = UnsafeMutablePointer.allocate(capacity: capacity)
    }

    deinit { base.deallocate() }

    /// Ensures capacity for `count` elements and sets all of them to `value`; discards the old contents.
    func reset(count: Int, to value: Element) {
        if count > capacity {
            base.deallocate()
            capacity = count
            base = UnsafeMutablePointer.allocate(capacity: capacity)
        }
        base.initialize(repeating: value, count: count)
    }
}
