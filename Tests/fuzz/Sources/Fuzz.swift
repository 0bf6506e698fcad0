import Glibc

private let targets: [(name: String, body: @Sendable (FuzzedBytes) -> CInt)] = [
    ("onnx", fuzzONNX), ("tflite", fuzzTFLite), ("archive", fuzzArchive), ("inflate", fuzzInflate),
    ("labels", fuzzLabels), ("manifest", fuzzManifest), ("picture", fuzzPicture), ("network", fuzzNetwork),
    ("label-format", fuzzLabelFormat), ("font", fuzzFont), ("mot", fuzzMOT), ("frame", fuzzFrame), ("time", fuzzTime),
    ("zones", fuzzZones), ("recording", fuzzRecording),
]

/// The selected target. One program contains all targets; its first argument selects one.
/// Written only by `LLVMFuzzerInitialize`, before libFuzzer calls the target.
nonisolated(unsafe) private var body: (FuzzedBytes) -> CInt = { _ in 0 }

/// Called first by libFuzzer. Removes the target's name from the arguments, so that libFuzzer parses the rest.
@_cdecl("LLVMFuzzerInitialize")
func initialise(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    let name = count.pointee > 1 ? words.pointee[1].map { String(cString: $0) } : nil
    guard let target = targets.first(where: { $0.name == name }) else {
        print(targets.map(\.name).joined(separator: "\n"))
        exit(name == nil ? 0 : 2)
    }
    body = target.body
    words.pointee[1] = words.pointee[0]
    words.pointee += 1
    count.pointee -= 1
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func tryOnce(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt { body(FuzzedBytes(start, count)) }
