import CGStreamer
import SwiftODT

/// Makes redaction fail closed: where it is requested and cannot be guaranteed, the stream ends with an error before a frame passes;
/// with `privacy-strict=false` there is a warning instead.
///
/// Checked before each frame, so that properties that change and detectors that are replaced are covered too. A check that has
/// succeeded is not repeated until one of them has changed.
struct RedactionGuard {
    /// All that the outcome depends on besides the detector.
    private struct Request: Equatable {
        let labels: Set<String>
        let style: AnnotatorOptions.BoxStyle
        let isDrawn: Bool
        let isStrict: Bool

        init(_ settings: Settings) {
            (labels, style) = (settings.annotator.privacyLabels, settings.annotator.boxStyle)
            (isDrawn, isStrict) = (settings.draw, settings.privacyStrict)
        }
    }

    private let element: ElementHandle
    private var checked: Request?
    private var warned: Set<String> = []

    init(_ element: ElementHandle) { self.element = element }

    /// Another detector is at work.
    mutating func noteSource() { checked = nil }

    /// - Parameter source: `nil` while the detector is still being made.
    /// - Throws: ``ODTError`` with the remedy.
    mutating func check(_ settings: Settings, _ source: DetectionSource?) throws {
        guard settings.requestsRedaction else { return }
        let request = Request(settings)
        guard checked != request else { return }
        if let fault = Self.fault(settings, source) { try fail(fault, settings) }
        checked = request
    }

    /// Redaction cannot be guaranteed.
    ///
    /// - Parameter fault: what is wrong, and what to do.
    /// - Throws: unless `privacy-strict=false`, which makes it a warning, given once.
    mutating func fail(_ fault: String, _ settings: Settings) throws {
        if settings.privacyStrict {
            throw ODTError(.invalidOption, "\(fault) (privacy-strict=false makes this a warning)")
        }
        // A program that sets other nonsense with every frame is not to fill memory.
        guard warned.count < 100, warned.insert(fault).inserted else { return }
        element.warn(.settings(fault))
    }

    static let unmapped =
        "redaction is requested and a frame's memory cannot be mapped as its caps say, so that nothing can be detected in it; put "
        + "videoconvert before swiftodt, or a converter that downloads the frames where they live in a device's memory"

    private static func fault(_ settings: Settings, _ source: DetectionSource?) -> String? {
        let labels = settings.annotator.privacyLabels.sorted()
        let request =
            labels.isEmpty
            ? "box-style=\(settings.annotator.boxStyle)" : "privacy-labels=\(labels.joined(separator: ","))"
        if settings.annotator.boxStyle.redaction == nil {
            return
                "\(request) redacts nothing with box-style=\(settings.annotator.boxStyle); set box-style=blur or pixelate, or "
                + "clear privacy-labels"
        }
        if !settings.draw { return "\(request) redacts nothing with draw=false; set draw=true" }
        if source?.isSubstitute == true {
            return
                "\(request) cannot be guaranteed: detector=auto has found no network and detects only what moves; install runtime "
                + "and model (odt setup, or Pipelines/setup), or set detector=motion and clear privacy-labels"
        }
        if labels.isEmpty { return nil }
        switch settings.detector {
        case .motion, .salient:
            return
                "\(request) redacts nothing with detector=\(settings.detector), which gives no labels; set detector=neural, or "
                + "clear privacy-labels to redact everything that is detected"
        // What others detected has the labels that they gave; nobody knows them in advance.
        case .upstream, .recorded: return nil
        case .auto, .neural: break
        }
        guard let source else { return nil }
        guard let known = source.labels else {
            return
                "\(request) cannot be guaranteed: the names of the detector's classes are not known; name them with label-file"
        }
        let names = Set(known.map { $0.lowercased() })
        return labels.first { !names.contains($0) }.map { unknown in
            "the network has no label '\(unknown)', which privacy-labels names; "
                + (nearestName(to: unknown, in: known).map { "did you mean '\($0)'?" }
                    ?? "it has " + known.prefix(8).joined(separator: ", ")
                    + (known.count > 8 ? " and \(known.count - 8) more" : ""))
        }
    }
}
