/// Numbers from 0 on, in sets that become one. The lowest number of a set stands for it.
struct DisjointSets {
    private var parents: [Int]

    /// - Parameter count: so many sets of one number each.
    init(count: Int = 0) { parents = Array(0..<count) }

    /// The numbers that stand for a set each.
    var roots: [Int] { parents.indices.filter { parents[$0] == $0 } }

    /// Adds a set of one number.
    mutating func add() -> Int {
        parents.append(parents.count)
        return parents.count - 1
    }

    /// The number that stands for the set of `i`; the way to it is shorter the next time.
    mutating func root(_ i: Int) -> Int {
        var i = i
        while parents[i] != i {
            parents[i] = parents[parents[i]]
            i = parents[i]
        }
        return i
    }

    mutating func unite(_ a: Int, _ b: Int) {
        let (a, b) = (root(a), root(b))
        parents[max(a, b)] = min(a, b)
    }
}
