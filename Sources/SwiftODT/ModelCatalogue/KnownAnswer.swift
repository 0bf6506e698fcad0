/// The detections that a correct network returns for the ``ReferencePicture``. The manifest of the model specifies
/// them.
///
/// In an empty scene, a broken detector cannot be distinguished from a correct one: both return no detections.
/// Therefore, when a network is loaded, its detections in the reference picture are compared with the known answer.
/// Wrong detections, for example because of a damaged model or a broken runtime, cause an error.
package struct KnownAnswer: Hashable, Sendable {
    /// An expected object. It has a box and a label for a detection network, only a label for a classifier, and only a
    /// box for a saliency network.
    package struct Object: Hashable, Sendable {
        package var label: String?
        package var score: Double
        /// In pixels of the reference picture.
        package var box: Box?
    }

    /// The name of the picture that was used (``ReferencePicture/name``).
    package var picture: String
    /// The size of the network's input in pixels. The detections are expected for this size only.
    package var width: Int
    package var height: Int
    package var objects: [Object]

    // The tolerances are necessary because boxes and scores differ noticeably on processors that use bfloat16 and on
    // devices that use 16-bit floats.

    /// The minimum intersection over union of a detection and the expected box.
    static let smallestIoU = 0.7
    /// The maximum difference between the score of a detection and the expected score.
    static let largestScoreDifference = 0.35
    /// Unexpected detections with a score below this value are tolerated.
    static let unexpectedScore = 0.6

    /// Returns a description of the first difference, or `nil` if the detections are as expected.
    ///
    /// - Parameter comparesLabels: `false` if the user has specified other names for the classes.
    func problem(of found: [Detection], comparesLabels: Bool) -> String? {
        var rest = found
        for object in objects {
            guard let box = object.box else { continue }
            let match = rest.indices.filter { !comparesLabels || rest[$0].label?.text == object.label }
                .max { rest[$0].box.iou(box) < rest[$1].box.iou(box) }
            guard let match, rest[match].box.iou(box) >= Self.smallestIoU else {
                return "it does not find the \(object.text)"
            }
            let score = rest.remove(at: match).score
            guard abs(score - object.score) <= Self.largestScoreDifference else {
                return "it finds the \(object.text) with the score \(Self.text(score))"
            }
        }
        return rest.first { !($0.score < Self.unexpectedScore) }.map {
            "it finds a \(Object(label: $0.label?.text, score: $0.score, box: $0.box).text), which is not there"
        }
    }

    static func text(_ score: Double) -> String { DecimalText.text(score, decimals: 2) }
}

extension KnownAnswer.Object {
    /// For example `stop sign at 24,54 107x106 (0.92)`.
    var text: String {
        let place = box.map { box in
            " at \(Self.text(box.x)),\(Self.text(box.y)) \(Self.text(box.width))x\(Self.text(box.height))"
        }
        return "\(label ?? "thing")\(place ?? "") (\(DecimalText.text(score, decimals: 2)))"
    }

    private static func text(_ pixels: Double) -> String { DecimalText.text(pixels, decimals: 0) }
}

extension [KnownAnswer] {
    func first(for input: NetworkInput) -> KnownAnswer? {
        first { $0.picture == ReferencePicture.name && $0.width == input.width && $0.height == input.height }
    }
}
