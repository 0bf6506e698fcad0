/// Memory that grows and never shrinks: working space that costs no allocation once it is large enough.
final class GrowingStorage<Element: BitwiseCopyable> {
    private(set) var base: UnsafeMutablePointer<Element>
    private var capacity: Int

    init() {
        capacity = 16
        base = UnsafeMutablePointer.allocate(capacity: capacity)
    }

    deinit { base.deallocate() }

    /// Makes room for so many elements and sets all of them; what was there is lost.
    func reset(count: Int, to value: Element) {
        if count > capacity {
            base.deallocate()
            capacity = count
            base = UnsafeMutablePointer.allocate(capacity: capacity)
        }
        base.initialize(repeating: value, count: count)
    }
}
