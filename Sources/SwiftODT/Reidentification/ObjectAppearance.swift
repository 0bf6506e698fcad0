/// The appearance of an object: the sum of the embeddings of its views. Each embedding is normalised to length 1.
package struct ObjectAppearance: Sendable {
    private var sum: [Float]

    /// Creates the appearance of an object in one view. Throws ``ODTError`` if the embedding has no direction.
    package init(embedding: [Float]) throws(ODTError) {
        let length = embedding.reduce(0) { $0 + $1 * $1 }.squareRoot()
        guard length.isFinite, length > 0 else {
            throw ODTError(.failed, "the re-identification network returned an embedding without a direction")
        }
        sum = embedding.map { $0 / length }
    }

    mutating func add(_ other: ObjectAppearance) {
        for (index, value) in zip(sum.indices, other.sum) { sum[index] += value }
    }

    /// Returns the cosine of the angle between the mean embeddings, -1 to 1.
    func similarity(to other: ObjectAppearance) -> Float {
        var (product, firsts, seconds) = (Float(0), Float(0), Float(0))
        for (first, second) in zip(sum, other.sum) {
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
