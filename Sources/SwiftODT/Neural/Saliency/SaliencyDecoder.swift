import Glibc

/// Converts a saliency map into the boxes of salient objects. The boxes are in descending order of score.
struct SaliencyDecoder: DetectionDecoder {
    let input: NetworkInput
    var labels: [String]? { [] }
    /// Tiles are not supported, because an object that is salient within a tile need not be salient in the full
    /// picture.
    var supportsTiles: Bool { false }
    /// The index of the saliency map among the outputs. It is the first output with a matching shape, because some
    /// networks also return intermediate maps.
    let output: Int
    /// Whether the map has logits instead of values from 0 to 1.
    let isLogit: Bool
    /// Whether objects that touch each other are split.
    var separatesThings = false

    /// The area at which the score of an object is half that of a large object, relative to the area of the map.
    private static let smallPart = 0.004
    /// The maximum number of objects per picture.
    private static let limit = 10

    func decode(_ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions) throws -> [Detection] {
        guard outputs.indices.contains(output), let size = Self.mapSize(outputs[output].shape),
            let width = size.width, let height = size.height, width > 0, height > 0
        else {
            throw ODTError(.failed, "the saliency network returned no map")
        }
        let (scaleX, scaleY) = (Double(input.width) / Double(width), Double(input.height) / Double(height))
        return try outputs[output].withFloats { values in
            guard values.count == width * height else {
                throw ODTError(.failed, "the saliency network returned \(values.count) values for a map of \(size)")
            }
            return withUnsafeTemporaryAllocation(of: Float.self, capacity: values.count) { copy in
                let map = SaliencyMap(
                    values: normalised(values, into: copy), width: width, height: height,
                    separatesThings: separatesThings)
                return map.regions().map { region in
                    Detection(
                        box: placement.buffer(region.box.scaled(x: scaleX, y: scaleY)),
                        score: score(region, in: values.count))
                }
            }
        }
        .filter { $0.score >= options.scoreFloor && !$0.box.isEmpty }
        .sorted { $0.score > $1.score }
        .prefix(Self.limit).map(\.self)
    }

    private func score(_ region: SaliencyMap.Region, in pixels: Int) -> Double {
        let part = Double(region.area) / Double(pixels)
        return region.mean * part / (part + Self.smallPart)
    }

    /// Scales the map to the range 0 to 1. A map within this range stays unchanged, because scaling it would turn the
    /// noise of a picture without salient objects into detections.
    private func normalised(
        _ values: UnsafeBufferPointer<Float>, into copy: UnsafeMutableBufferPointer<Float>
    ) -> UnsafeBufferPointer<Float> {
        var (minimum, maximum) = (Float.infinity, -Float.infinity)
        for (index, value) in values.enumerated() {
            let sound = value.isFinite ? (isLogit ? 1 / (1 + exp(-value)) : value) : 0
            copy.initializeElement(at: index, to: sound)
            minimum = min(minimum, sound)
            maximum = max(maximum, sound)
        }
        if minimum < 0 || maximum > 1.001 {
            // The range is computed from halves, because the difference of the largest and the smallest float would
            // overflow.
            let scale = 1 / max(maximum / 2 - minimum / 2, .leastNormalMagnitude)
            for index in copy.indices { copy[index] = (copy[index] / 2 - minimum / 2) * scale }
        }
        return UnsafeBufferPointer(copy)
    }

    /// Returns the width and height of a map with one channel, for any order of dimensions. Dynamic dimensions are
    /// `nil`. Returns `nil` for the shape of another tensor.
    static func mapSize(_ shape: [Int?]) -> (width: Int?, height: Int?)? {
        let inner = shape.first == 1 || shape.first == .some(nil) ? shape.dropFirst() : shape[...]
        switch inner.count {
        case 2 where inner.allSatisfy({ $0 != 1 }): return (inner.last ?? nil, inner.first ?? nil)
        case 3 where inner.first == 1: return mapSize(Array(inner))
        case 3 where inner.last == 1: return mapSize([1] + inner.dropLast())
        default: return nil
        }
    }
}
