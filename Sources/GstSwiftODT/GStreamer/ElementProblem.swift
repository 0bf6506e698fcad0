import CODTGStreamer
import GstFrames
import SwiftODT
import Synchronization

/// An error or warning as GStreamer represents it. The text names the remedy.
struct ElementProblem {
    let domain: GQuark
    let code: Int32
    let text: String
    var detail: String?

    var wholeText: String { detail.map { "\(text) (\($0))" } ?? text }

    static func settings(_ text: String) -> ElementProblem {
        ElementProblem(
            domain: gst_library_error_quark(), code: Int32(GST_LIBRARY_ERROR_SETTINGS.rawValue), text: text)
    }

    static func format(_ text: String, detail: String? = nil) -> ElementProblem {
        ElementProblem(
            domain: gst_stream_error_quark(), code: Int32(GST_STREAM_ERROR_FORMAT.rawValue), text: text, detail: detail)
    }

    static func resource(_ code: GstResourceError, _ text: String) -> ElementProblem {
        ElementProblem(domain: gst_resource_error_quark(), code: Int32(code.rawValue), text: text)
    }

    static func refusedCaps(_ flow: GstFlowReturn) -> ElementProblem {
        ElementProblem(
            domain: gst_stream_error_quark(), code: Int32(GST_STREAM_ERROR_FAILED.rawValue),
            text: "downstream refuses the caps of the held frames (\(String(cString: gst_flow_get_name(flow)))), so "
                + "they are lost; check the elements downstream")
    }

    /// Chooses GStreamer's error code according to the reason of the error.
    init(_ error: any Error, doing what: String? = nil) {
        let text = (what.map { $0 + ": " } ?? "") + String(describing: error)
        let known = ErrorCode.of((error as? ODTError)?.reason)
        self.init(
            domain: known?.domain ?? gst_stream_error_quark(),
            code: known?.code ?? Int32(GST_STREAM_ERROR_FAILED.rawValue), text: text)
    }

    private init(domain: GQuark, code: Int32, text: String, detail: String? = nil) {
        (self.domain, self.code, self.text, self.detail) = (domain, code, text, detail)
    }
}

/// Posts at most 100 warnings per run on the bus. Further warnings are only logged. Without the limit, a program that
/// repeatedly sets invalid properties and does not read its bus would fill the bus.
final class WarningLimit: Sendable {
    private static let maximum = 100
    private let count = Mutex(0)

    func post(_ problems: [ElementProblem], by element: ElementHandle) {
        for problem in problems {
            let isNew = count.withLock { count in
                count = min(count + 1, Self.maximum + 1)
                return count <= Self.maximum
            }
            if isNew { element.warn(problem) } else { element.log(.warning, problem.wholeText) }
        }
    }

    func reset() { count.withLock { $0 = 0 } }
}
