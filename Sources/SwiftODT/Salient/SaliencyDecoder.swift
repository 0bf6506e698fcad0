import Glibc

/// Turns a saliency map into boxes around what stands out, the most prominent first.
struct SaliencyDecoder: DetectionDecoder {
    let input: NetworkInput
    var labels: [String]? { [] }
    /// What stands out of a part need not do so in the picture.
    var supportsTiles: Bool { false }
    /// Which of the network's outputs is the map: the first, where it gives its intermediate ones as well.
    let output: Int
    /// Whether the map still needs the logistic function.
    let isLogit: Bool
    /// Whether things that touch are told apart.
    var separatesThings = false

    /// Things that cover this part of the picture get half of the score that large ones get.
    private static let smallPart = 0.004
    /// More boxes than this in one picture are no salient things.
    private static let limit = 10

    func decode(_ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions) throws -> [Detection] {
        guard outputs.indices.contains(output), let size = Self.mapSize(outputs[output].shape),
            let width = size.width, let height = size.height, width > 0, height > 0
        else {
            throw ODTError(.failed, "the saliency network gave no map")
        }
        let (scaleX, scaleY) = (Double(input.width) / Double(width), Double(input.height) / Double(height))
        return try outputs[output].withFloats { values in
            guard values.count == width * height else {
                throw ODTError(.failed, "the saliency network gave \(values.count) values for a map of \(size)")
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

    /// Brings the map to 0...1. Maps that are there already stay as they are, however dark: in a picture in which nothing stands
    /// out nothing is found.
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
            // In halves: the way from the least float to the greatest is no float.
            let scale = 1 / max(maximum / 2 - minimum / 2, .leastNormalMagnitude)
            for index in copy.indices { copy[index] = (copy[index] / 2 - minimum / 2) * scale }
        }
        return UnsafeBufferPointer(copy)
    }

    /// Width and height of a map of one channel, in whatever order its dimensions come; `nil` if it is something else.
    /// Open dimensions stay `nil`.
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
