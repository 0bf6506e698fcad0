/// An input in addition to the picture: sizes by which a network scales its boxes. The values are chosen so that boxes are in
/// pixels of the network's input.
///
/// Recognised by name, as exporters of RT-DETR and D-FINE (`orig_target_sizes`), PaddleDetection (`im_shape`,
/// `scale_factor`) and others use it.
enum AuxiliaryInput: Sendable {
    case widthHeight
    case heightWidth
    case heightWidthScale
    case scale

    init?(name: String) {
        switch name.split(separator: ":").first.map({ $0.lowercased() }) {
        case "orig_target_sizes": self = .widthHeight
        case "im_shape", "image_shape": self = .heightWidth
        case "im_info", "image_info": self = .heightWidthScale
        case "scale_factor": self = .scale
        default: return nil
        }
    }

    /// Returns the values of this input for a picture input of the given size.
    func numbers(for input: NetworkInput) -> [Double] {
        let (width, height) = (Double(input.width), Double(input.height))
        return switch self {
        case .widthHeight: [width, height]
        case .heightWidth: [height, width]
        case .heightWidthScale: [height, width, 1]
        case .scale: [1, 1]
        }
    }
}

extension NetworkDescription {
    /// The index of the picture input: the only one that is not an ``AuxiliaryInput``. `nil` if there is not exactly
    /// one.
    var pictureInput: Int? {
        let unknown = inputs.indices.filter { inputs.count == 1 || AuxiliaryInput(name: inputs[$0].name) == nil }
        return unknown.count == 1 ? unknown[0] : nil
    }
}
