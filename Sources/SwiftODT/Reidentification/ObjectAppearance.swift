/// The appearance of an object: the sum of the embeddings of its views. Each embedding is normalised to length 1.
package struct ObjectAppearance: Sendable {
    /// The mean appearance is computed with this number of additional zero vectors. Otherwise, the mean of a few people
    /// would contain too much of each person (benchmark `returns.py`).
    private static let priorCount: Float = 2

    private var sum: [Float]
    private(set) var viewCount = 1

    /// Creates the appearance of an object in one view. Throws ``ODTError`` if the embedding has no direction.
    package init(embedding: [Float]) throws(ODTError) {
        guard embedding.length.isFinite, embedding.length > 0 else {
            throw ODTError(.failed, "the re-identification network returned an embedding without a direction")
        }
        sum = embedding.direction
    }

    mutating func add(_ other: ObjectAppearance) {
        for (index, value) in zip(sum.indices, other.sum) { sum[index] += value }
        viewCount += other.viewCount
    }

    /// Returns the cosine of the angle between the mean embeddings, -1 to 1.
    func similarity(to other: ObjectAppearance) -> Float { Self.cosine(sum, other.sum) }

    /// Subtracts the mean appearance of the other objects from the appearances of all objects. Then returns the
    /// similarities to the other objects, -1 to 1. The mean contains what all objects of a camera have in common:
    /// background, light and the bias of the network.
    func similarities(to others: [ObjectAppearance]) -> [Float] {
        let directions = others.map { $0.sum.direction }
        var common = [Float](repeating: 0, count: sum.count)
        for direction in directions {
            for (index, value) in zip(common.indices, direction) { common[index] += value }
        }
        let weight = 1 / (Float(others.count) + Self.priorCount)
        func distinctive(_ direction: [Float]) -> [Float] { zip(direction, common).map { $0 - weight * $1 } }
        let own = distinctive(sum.direction)
        return directions.map { Self.cosine(own, distinctive($0)) }
    }

    private static func cosine(_ first: [Float], _ second: [Float]) -> Float {
        var (product, firsts, seconds) = (Float(0), Float(0), Float(0))
        for (first, second) in zip(first, second) {
            product += first * second
            firsts += first * first
            seconds += second * second
        }
        return product / max((firsts * seconds).squareRoot(), .leastNormalMagnitude)
    }
}

/// Describes the appearance of objects, so that an object can be recognised when it returns.
package protocol AppearanceDescriber: AnyObject, Sendable {
    /// The labels of the objects that the describer can distinguish, in lower case.
    var labels: Set<String> { get }

    /// Returns the appearance of the object in a box, which is in buffer pixels.
    func describe(_ box: Box, in frame: Frame) throws -> ObjectAppearance
}

extension [Float] {
    fileprivate var length: Float { reduce(0) { $0 + $1 * $1 }.squareRoot() }
    fileprivate var direction: [Float] {
        let length = Swift.max(length, .leastNormalMagnitude)
        return map { $0 / length }
    }
}
