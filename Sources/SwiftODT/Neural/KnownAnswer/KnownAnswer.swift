/// What a network finds in the ``ReferencePicture`` on a machine that computes correctly, from its manifest.
///
/// A detector that finds nothing looks like an empty scene. With the known answer a damaged model, a broken runtime or a faulty processor
/// feature is an error when the network is loaded.
package struct KnownAnswer: Hashable, Sendable {
    /// A detector's answers have boxes, a classifier's best answer has none; saliency networks give no labels.
    package struct Object: Hashable, Sendable {
        package var label: String?
        package var score: Double
        /// In pixels of the test picture.
        package var box: Box?
    }

    /// The test picture that it is for.
    package var picture: String
    /// The size of the network's input that it is for: of another size a network may give another answer.
    package var width: Int
    package var height: Int
    package var objects: [Object]
}

extension KnownAnswer {
    // Processors with bfloat16 and devices with 16-bit floats move boxes by up to 2 % and scores by up to 0.23 (EfficientNet-Lite3).

    /// A box that overlaps the known one less is another one.
    static let smallestIoU = 0.7
    static let largestScoreDifference = 0.35
    /// Detections that are not known are tolerated below this score.
    static let unexpectedScore = 0.6

    /// - Parameter comparesLabels: `false` where the user has given the classes other names.
    /// - Returns: what is wrong with an answer; `nil` if it is right.
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

    func problem(of found: Classification, comparesLabels: Bool) -> String? {
        guard let object = objects.first else { return nil }
        let (label, score) = (found.label?.text ?? "nothing", found.labelScore)
        let isRight = !comparesLabels || label == object.label
        guard isRight, abs(score - object.score) <= Self.largestScoreDifference else {
            return "the answer is \(label) (\(Self.text(score))) instead of \(object.text)"
        }
        return nil
    }

    private static func text(_ score: Double) -> String { DecimalText.text(score, decimals: 2) }

    static func error(_ problem: String, file: String, device: String) -> ODTError {
        let runtime =
            (try? OpenVINO.shared().version.split(separator: "-").first).map { "OpenVINO \($0)" } ?? "the runtime"
        return ODTError(
            .failed,
            "\(file) fails its known-answer test on \(device): \(problem). The model is damaged, or \(runtime) "
                + "computes wrong results on this processor; \"odt doctor\" checks the model's files, \"odt setup\" fetches model and runtime again"
        )
    }
}

extension KnownAnswer.Object {
    /// Such as `stop sign at 24,54 107x106 (0.92)`.
    fileprivate var text: String {
        let place = box.map { box in
            " at \(Self.text(box.x)),\(Self.text(box.y)) \(Self.text(box.width))x\(Self.text(box.height))"
        }
        return "\(label ?? "thing")\(place ?? "") (\(DecimalText.text(score, decimals: 2)))"
    }

    private static func text(_ pixels: Double) -> String { DecimalText.text(pixels, decimals: 0) }
}

extension [KnownAnswer] {
    /// The one for this program's test picture and an input; `nil` where none is known.
    func first(for input: NetworkInput) -> KnownAnswer? {
        first { $0.picture == ReferencePicture.name && $0.width == input.width && $0.height == input.height }
    }
}
