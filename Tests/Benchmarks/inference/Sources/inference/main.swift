import Foundation
import SwiftODT

/// A decoder that ignores the outputs, to measure only preprocessing and inference.
struct NoDecoder: DetectionDecoder {
    var input: NetworkInput

    func decode(_ outputs: [TensorView], placement: InputPlacement, options: DetectionOptions) throws -> [Detection] {
        []
    }
}

func number(_ value: Double, _ digits: Int = 3) -> String { String(format: "%.\(digits)f", value) }

/// Returns the model's input format, with 416x416 for a dynamic size.
func input(of model: String) throws -> NetworkInput {
    let description = try Network.inspect(file: model).inputs[0]
    let shape = description.shape
    let interleaved = shape.count == 4 && shape[3] == 3
    let (height, width) = interleaved ? (shape[1] ?? 416, shape[2] ?? 416) : (shape[2] ?? 416, shape[3] ?? 416)
    return NetworkInput(
        width: width, height: height, layout: interleaved ? .nhwc : .nchw,
        element: description.element == .uint8 ? .uint8 : .float32, channelOrder: .bgr,
        fit: .letterboxTopLeft(fill: 114))
}

/// Prints the time to convert a frame to the network's input, for every pixel format.
func fill(model: String) throws {
    let request = try Network.load(file: model, input: input(of: model), hint: .latency).makeRequest()
    print(
        "fill, milliseconds a frame (least, median) into \(request.network.input.width)x\(request.network.input.height)"
    )
    for (width, height) in [(768, 576), (1920, 1080)] {
        for format in PixelFormat.allCases {
            let frame = makeFrame(format, width: width, height: height)
            let time = try milliseconds { _ = try request.fill(from: frame) }
            print("\(width)x\(height) \(format) \(number(time.minimum)) \(number(time.median))")
        }
        for orientation in [Orientation.rotate90, .rotate180] {
            let frame = makeFrame(.i420, width: width, height: height, orientation: orientation)
            let time = try milliseconds { _ = try request.fill(from: frame) }
            print("\(width)x\(height) i420 \(orientation) \(number(time.minimum)) \(number(time.median))")
        }
    }
}

/// Prints the frames per second of `users` concurrent detectors (preprocessing and inference) that share one model.
func throughput(model: String, hint: InferenceHint, inFlight: Int, users: Int, duration: Double, filling: Bool) throws {
    let input = try input(of: model)
    let frame = makeFrame(.i420, width: 768, height: 576)
    let detectors = try (0..<users).map { _ in
        try NeuralDetector(modelFile: model, hint: hint, maximumInFlight: inFlight) { _ in NoDecoder(input: input) }
    }
    nonisolated(unsafe) var counts = [Int](repeating: 0, count: users)
    func drive(_ user: Int, until end: Double) {
        let detector = detectors[user]
        var waiting: [DetectionPromise] = []
        while seconds() < end {
            guard let promise = try? detector.start(frame, options: DetectionOptions()) else { return }
            waiting.append(promise)
            if waiting.count >= detector.capacity {
                _ = try? waiting.removeFirst().wait()
                counts[user] += 1
            }
        }
        for promise in waiting {
            _ = try? promise.wait()
            counts[user] += 1
        }
    }
    drive(0, until: seconds() + 0.5)
    counts = [Int](repeating: 0, count: users)
    let (begin, used) = (seconds(), processorSeconds())
    let threads = (0..<users).map { user in
        nonisolated(unsafe) let drive = drive
        let thread = Thread { drive(user, begin + duration) }
        thread.start()
        return thread
    }
    while threads.contains(where: { !$0.isFinished }) { usleep(2000) }
    let took = seconds() - begin
    let frames = counts.reduce(0, +)
    let timings = detectors[0].timings ?? StageTimings()
    print(
        "fps \(number(Double(frames) / took, 2)) cpu-ms \(number((processorSeconds() - used) / Double(frames) * 1e3)) "
            + "fill-ms \(number(Double(timings.preprocess.mean) / 1e6)) infer-ms \(number(Double(timings.inference.mean) / 1e6)) "
            + "in-flight \(detectors[0].capacity) users \(users)")
}

/// Prints the time to load and compile a network.
func start(model: String) throws {
    let begin = seconds()
    let input = try input(of: model)
    let inspected = seconds()
    let network = try Network.load(file: model, input: input, hint: .latency)
    let loaded = seconds()
    try network.makeRequest().infer()
    print(
        "inspect-ms \(number((inspected - begin) * 1e3, 1)) load-ms \(number((loaded - inspected) * 1e3, 1)) "
            + "first-ms \(number((seconds() - loaded) * 1e3, 1))")
}

let arguments = CommandLine.arguments.dropFirst().map { $0 }
func option(_ index: Int, _ fallback: Int) -> Int {
    arguments.count > index ? Int(arguments[index]) ?? fallback : fallback
}
switch arguments.first {
case "fill" where arguments.count > 1: try fill(model: arguments[1])
case "start" where arguments.count > 1: try start(model: arguments[1])
case "latency" where arguments.count > 1, "throughput" where arguments.count > 1:
    try throughput(
        model: arguments[1], hint: arguments[0] == "latency" ? .latency : .throughput, inFlight: option(4, 0),
        users: option(3, 1), duration: Double(option(2, 5)), filling: true)
default:
    print("usage: inference fill|start MODEL, inference latency|throughput MODEL [SECONDS [USERS [IN-FLIGHT]]]")
    exit(2)
}
