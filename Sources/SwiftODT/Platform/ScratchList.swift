/// A list for temporary data that is refilled for every frame. Clearing the list keeps its memory.
///
/// The list cannot be copied and its elements are trivial. It therefore needs no uniqueness checks and no reference
/// counting.
struct ScratchList<Element: BitwiseCopyable>: ~Copyable {
    private var memory = UnsafeMutableBufferPointer<Element>(start: nil, count: 0)
    private(set) var count = 0

    deinit { memory.deallocate() }

    var isEmpty: Bool { count == 0 }
    var indices: Range<Int> { 0..<count }

    subscript(index: Int) -> Element {
        @inline(__always) get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            return memory.baseAddress.unsafelyUnwrapped[index]
        }
        @inline(__always) set {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
            memory.baseAddress.unsafelyUnwrapped[index] = newValue
        }
    }

    /// The pointer is valid until the list changes.
    var view: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: memory.baseAddress, count: count) }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == memory.count { grow(to: max(16, 2 * count)) }
        memory.baseAddress.unsafelyUnwrapped[count] = element
        count += 1
    }

    mutating func clear() { count = 0 }

    /// Keeps the order of the remaining elements.
    @inline(__always)
    mutating func keep(where holds: (Element) -> Bool) {
        var kept = 0
        for index in indices {
            let element = self[index]
            if holds(element) {
                self[kept] = element
                kept += 1
            }
        }
        count = kept
    }

    mutating func shorten(to count: Int) {
        precondition(count <= self.count)
        self.count = count
    }

    /// Sets the number of elements, and sets all of them to one value.
    mutating func reset(to element: Element, count: Int) {
        if count > memory.count { grow(to: max(count, 2 * memory.count)) }
        self.count = count
        for index in 0..<count { memory.baseAddress.unsafelyUnwrapped[index] = element }
    }

    mutating func sort(by isBefore: (Element, Element) -> Bool) {
        if count < 2 { return }
        var elements = UnsafeMutableBufferPointer(rebasing: memory[..<count])
        elements.sort(by: isBefore)
    }

    /// Avoids a closure call for each comparison.
    mutating func sort() where Element: Comparable {
        if count < 2 { return }
        var elements = UnsafeMutableBufferPointer(rebasing: memory[..<count])
        elements.sort()
    }

    private mutating func grow(to capacity: Int) {
        let larger = UnsafeMutableBufferPointer<Element>.allocate(capacity: capacity)
        _ = larger.moveInitialize(fromContentsOf: memory[..<count])
        memory.deallocate()
        memory = larger
    }
}

extension Array {
    /// Returns all elements and empties the array.
    mutating func takeAll() -> [Element] {
        defer { self = [] }
        return self
    }
}
