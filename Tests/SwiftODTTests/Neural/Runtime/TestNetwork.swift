import Foundation
import ODTTestSupport
import Testing

@testable import SwiftODT

/// Generates a small network that applies ReLU to each input.
struct TestNetwork {
    let file: String

    /// - Parameters:
    ///   - shapes: one shape per input; `nil` leaves a dimension open.
    ///   - names: the names of the inputs; the default is in0, in1 ...
    ///   - precision: the element type of inputs and outputs, for example `f32` or `u8`.
    init(_ shapes: [[Int?]], names: [String] = [], precision: String = "f32") throws {
        let port = precision.hasPrefix("f") ? "FP" + precision.dropFirst() : precision.uppercased()
        func dimensions(_ shape: [Int?]) -> String {
            shape.map { "<dim>\($0 ?? -1)</dim>" }.joined()
        }
        var layers = ""
        var edges = ""
        for (number, shape) in shapes.enumerated() {
            let id = 3 * number
            let text = shape.map { $0.map(String.init) ?? "?" }.joined(separator: ",")
            layers += """
                <layer id="\(id)" name="in\(number)" type="Parameter" version="opset1">
                <data shape="\(text)" element_type="\(precision)"/>
                <output><port id="0" precision="\(port)" names="\(number < names.count ? names[number] : "in\(number)")">\(dimensions(shape))</port></output></layer>
                <layer id="\(id + 1)" name="out\(number)" type="ReLU" version="opset1">
                <input><port id="0" precision="\(port)">\(dimensions(shape))</port></input>
                <output><port id="1" precision="\(port)" names="out\(number)">\(dimensions(shape))</port></output></layer>
                <layer id="\(id + 2)" name="result\(number)" type="Result" version="opset1">
                <input><port id="0" precision="\(port)">\(dimensions(shape))</port></input></layer>
                """
            edges += """
                <edge from-layer="\(id)" from-port="0" to-layer="\(id + 1)" to-port="0"/>
                <edge from-layer="\(id + 1)" from-port="1" to-layer="\(id + 2)" to-port="0"/>
                """
        }
        file = Self.folder + "/\(UUID().uuidString).xml"
        try """
        <?xml version="1.0"?><net name="test" version="11"><layers>\(layers)</layers><edges>\(edges)</edges></net>
        """.write(toFile: file, atomically: true, encoding: .utf8)
        try Data(count: 8).write(to: URL(fileURLWithPath: file.dropLast(4) + ".bin"))
    }

    /// A temporary folder of this test run.
    static var folder: String { temporary.path }
    private static let temporary: TemporaryFolder = {
        atexit { TestNetwork.temporary.remove() }
        guard let folder = try? TemporaryFolder() else { fatalError("no folder can be made for the tests' networks") }
        return folder
    }()

    /// Whether the OpenVINO runtime is installed. Suites that need it are disabled without it.
    ///
    /// Evaluated before these suites run, so it also redirects the cache of compiled networks away from the user's
    /// cache.
    static let hasRuntime: Bool = {
        setenv("XDG_CACHE_HOME", folder + "/cache", 1)
        return (try? OpenVINO.shared()) != nil
    }()

    /// The folder with shared test material beside the checkout, if it exists.
    static let shared: String? = {
        let beside = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../../../shared")
        let folder = ProcessInfo.processInfo.environment["SWIFTODT_SHARED"] ?? beside.standardized.path
        return FileManager.default.fileExists(atPath: folder + "/models") ? folder : nil
    }()
}

/// Returns the ``ODTError`` that `body` throws; any other outcome fails the test.
func detectorError(_ body: () throws -> Void) throws -> ODTError {
    var thrown: (any Error)?
    do { try body() } catch { thrown = error }
    return try #require(thrown as? ODTError)
}
