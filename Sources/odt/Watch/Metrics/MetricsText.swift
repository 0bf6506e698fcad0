import SwiftODT

/// Composes a document in the text format of Prometheus, version 0.0.4.
struct MetricsText {
    enum Kind: String { case counter, gauge, histogram }

    /// One value of a metric, with the labels that distinguish it from the other values.
    struct Sample {
        let labels: KeyValuePairs<String, String>
        let value: Double

        init(_ labels: KeyValuePairs<String, String>, _ value: some BinaryInteger) {
            (self.labels, self.value) = (labels, Double(value))
        }

        init(_ labels: KeyValuePairs<String, String>, _ value: Double) { (self.labels, self.value) = (labels, value) }
    }

    private(set) var text = ""

    /// Adds a metric. A metric without values is omitted.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        begin(name, kind, help)
        for sample in samples { add(name, Array(sample.labels), sample.value) }
    }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        add(name, kind, help, [Sample([:], value)])
    }

    mutating func add<Camera>(
        _ name: String, _ kind: Kind, _ help: String, _ cameras: [(String, Camera)], _ value: (Camera) -> Int
    ) { add(name, kind, help, cameras.map { Sample(["camera": $0], value($1)) }) }

    mutating func add(_ name: String, _ help: String, _ histograms: [(camera: String, histogram: DurationHistogram)]) {
        guard !histograms.isEmpty else { return }
        begin(name, .histogram, help)
        for (camera, histogram) in histograms {
            let label = ("camera", camera)
            var count = 0
            for (bound, step) in zip(DurationHistogram.bounds, histogram.counts) {
                count += step
                add(name + "_bucket", [label, ("le", "\(bound)")], Double(count))
            }
            add(name + "_bucket", [label, ("le", "+Inf")], Double(histogram.count))
            add(name + "_sum", [label], histogram.sum)
            add(name + "_count", [label], Double(histogram.count))
        }
    }

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func add(_ name: String, _ labels: [(key: String, value: String)], _ value: Double) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
        }
        text += " " + (Int64(exactly: value).map(String.init) ?? "\(value)") + "\n"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

struct DurationHistogram {
    /// The upper bounds of the intervals in seconds. The last interval has no upper bound.
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// The number of durations in each interval except the last one.
    private(set) var counts = [Int](repeating: 0, count: bounds.count)
    private(set) var count = 0
    /// The sum of all durations in seconds.
    private(set) var sum = 0.0

    mutating func note(_ duration: Nanoseconds) {
        let seconds = Double(max(0, duration)) / 1e9
        if let place = Self.bounds.firstIndex(where: { seconds <= $0 }) { counts[place] += 1 }
        count += 1
        sum += seconds
    }
}

/// An output whose queue is part of the metrics.
protocol MeasuredSink: WatchSink {
    func measure(into text: inout MetricsText)

    /// The reason why the output does not work at all; `nil` while it works or retries.
    var problem: String? { get }

    /// The name of an output that saves messages, and whether its latest attempt to write has failed; `nil` for other
    /// outputs.
    var writeState: (output: String, isFailing: Bool)? { get }
}

extension MeasuredSink {
    var problem: String? { nil }
    var writeState: (output: String, isFailing: Bool)? { nil }
}
