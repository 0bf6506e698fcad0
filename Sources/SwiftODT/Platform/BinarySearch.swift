extension Range<Int> {
    /// Returns the first index that does not satisfy `isBefore`, or the upper bound, by binary search. The indices that
    /// satisfy `isBefore` must come first.
    @inline(__always)
    package func partitionPoint(_ isBefore: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
