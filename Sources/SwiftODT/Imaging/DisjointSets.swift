/// A union-find structure over 0..<count. The lowest member of a set is its root.
struct DisjointSets {
    private var parents: [Int]

    /// Creates `count` sets with one member each.
    init(count: Int = 0) { parents = Array(0..<count) }

    /// The root of every set, in ascending order.
    var roots: [Int] { parents.indices.filter { parents[$0] == $0 } }

    /// Adds a set with one new member and returns that member.
    mutating func add() -> Int {
        parents.append(parents.count)
        return parents.count - 1
    }

    /// Returns the root of the set of `i`, halving the path to it.
    mutating func root(_ i: Int) -> Int {
        var i = i
        while parents[i] != i {
            parents[i] = parents[parents[i]]
            i = parents[i]
        }
        return i
    }

    /// Merges the sets of `a` and `b`.
    mutating func unite(_ a: Int, _ b: Int) {
        let (a, b) = (root(a), root(b))
        parents[max(a, b)] = min(a, b)
    }
}
