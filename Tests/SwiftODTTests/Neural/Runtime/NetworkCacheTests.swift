import Foundation
import Testing

@testable import SwiftODT

/// Tests the cache of compiled networks: entries are restored, and damage to its files is harmless.
@Suite(.enabled(if: TestNetwork.hasRuntime, "no OpenVINO on this machine"))
struct NetworkCacheTests {
    private let folder = TestNetwork.folder + "/cache-\(UUID().uuidString)/deep/down"
    private let input = NetworkInput(width: 16, height: 16, mean: SIMD3(1, 2, 3))
    private let target = CompilationTarget(device: "CPU", threads: 0, hint: .throughput)

    /// Returns a cache that contains one compiled network.
    private func filled() throws -> (NetworkCache, ModelFile) {
        let cache = try #require(NetworkCache(runtime: OpenVINO.shared(), folder: folder))
        let file = try ModelFile(TestNetwork([[1, 3, nil, nil]]).file)
        let read = try LoadedModel(file, runtime: OpenVINO.shared())
        try read.prepare(for: input)
        let compiled = try CompiledModel.compile(read, for: target)
        cache.keep(compiled, try read.description(), of: file, input: input, target: target)
        return (cache, file)
    }

    private func files(_ ending: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(ending) }
            .map { URL(fileURLWithPath: folder + "/" + $0) }
    }

    @Test func modelInFolderWithNameOutsideUTF8IsLoaded() throws {
        let network = try TestNetwork([[1, 3, 16, 16]]).file
        let folder = PathText.text(of: Array((TestNetwork.folder + "/\(UUID().uuidString)").utf8) + [0xE9])
        #expect(PathText.withSystemPath(folder) { mkdir($0, 0o700) } == 0)
        for ending in [".xml", ".bin"] {
            let file = String(network.dropLast(4)) + ending
            #expect(PathText.withSystemPath(folder + "/net" + ending) { rename(file, $0) } == 0)
        }
        _ = try LoadedModel(try ModelFile(folder + "/net.xml"), runtime: OpenVINO.shared())
    }

    @Test func compiledNetworkIsRestored() throws {
        let (cache, file) = try filled()
        let (compiled, description) = try #require(cache.compiled(file, input: input, target: target))
        #expect(description.inputs[0].shape == [1, 3, 16, 16])
        #expect(description.outputs[0].name == "out0")
        let fresh = try Network.load(file: file.name, input: input, hint: .throughput)
        #expect(compiled.requestCount == fresh.requestCount)
    }

    @Test(.enabled(if: TestNetwork.shared != nil, "no shared test material"))
    func restoredNetworkEqualsCompiledOne() throws {
        // This model has weights, which the runtime keeps in the memory that they were loaded into.
        let file = try ModelFile(#require(TestNetwork.shared) + "/models/FastestDet.onnx")
        let input = NetworkInput(width: 352, height: 352, scale: SIMD3(repeating: 1 / 255))
        let cache = try #require(
            NetworkCache(runtime: OpenVINO.shared(), folder: TestNetwork.folder + "/cache/swiftodt"))
        func answer() throws -> [Float] {
            let request = try Network.load(file: file.name, input: input, hint: .latency).makeRequest()
            let picture = PackedPicture(.rgb, width: 60, height: 60) { c, x, y in UInt8((x * y + 40 * c) % 256) }
            _ = try withExtendedLifetime(picture) { try request.fill(from: picture.frame()) }
            try request.infer()
            return try request.outputs().flatMap { $0.bytes.bindMemory(to: Float.self) }
        }
        let first = try answer()
        let target = CompilationTarget(device: "CPU", threads: 0, hint: .latency)
        #expect(cache.compiled(file, input: input, target: target) != nil)
        let second = try answer()
        #expect(zip(first, second).allSatisfy { abs($0 - $1) < 1e-3 })
    }

    @Test func inputTargetAndFileArePartOfKey() throws {
        let (cache, file) = try filled()
        var other = input
        other.mean.x = 1.5
        #expect(cache.compiled(file, input: other, target: target) == nil)
        for target in [
            CompilationTarget(device: "CPU", threads: 1, hint: .throughput),
            CompilationTarget(device: "CPU", threads: 0, hint: .latency),
        ] {
            #expect(cache.compiled(file, input: input, target: target) == nil)
        }
        try Data(contentsOf: URL(fileURLWithPath: file.path)).write(to: URL(fileURLWithPath: file.path))
        #expect(cache.compiled(try ModelFile(file.name), input: input, target: target) == nil)
    }

    /// Further training changes only a model's weights, not its graph. Its old compiled network must not be used.
    @Test func changedWeightsAreANewEntry() throws {
        let (cache, file) = try filled()
        let weights = URL(fileURLWithPath: file.path.dropLast(4) + ".bin")
        let old = try Data(contentsOf: weights)
        try Data(old.map { $0 ^ 1 }).write(to: weights)
        // The file system's timestamps may be too coarse to differ.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: weights.path)
        let anew = try ModelFile(file.name)
        #expect(anew != file)
        #expect(cache.compiled(anew, input: input, target: target) == nil)
        #expect(cache.compiled(file, input: input, target: target) != nil)
    }

    /// In reproducible packages, all files have the same modification time.
    @Test func replacedFileWithSameModificationTimeIsANewEntry() throws {
        let path = TestNetwork.folder + "/\(UUID().uuidString).onnx"
        func written() throws -> ModelFile {
            try Data([8, 8]).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
            return try ModelFile(path)
        }
        let (old, deadline) = (try written(), Date() + 10)
        // The file system's timestamps change only every few milliseconds.
        while try written() == old, Date() < deadline {}
        #expect(try written() != old)
    }

    /// The same for other formats with separate weights files.
    @Test(arguments: [("onnx", ".onnx.data"), ("onnx", "-weights.bin"), ("pdmodel", ".pdiparams")])
    func externalWeightsArePartOfKey(_ ending: String, _ weightsEnding: String) throws {
        let name = TestNetwork.folder + "/\(UUID().uuidString)"
        var (location, tensor, graph) = (ProtobufMessage(), ProtobufMessage(), ProtobufMessage())
        location.append(1, "location")
        location.append(2, FilePath.name(of: name) + weightsEnding)
        tensor.append(13, location.bytes)
        graph.append(ONNXGraph.Number.constant, tensor.bytes)
        try Data(graph.file).write(to: URL(fileURLWithPath: "\(name).\(ending)"))
        let without = try ModelFile("\(name).\(ending)")
        let weights = URL(fileURLWithPath: name + weightsEnding)
        try Data([1]).write(to: weights)
        let with = try ModelFile("\(name).\(ending)")
        try Data([1, 2]).write(to: weights)
        let after = try ModelFile("\(name).\(ending)")
        #expect(Set([without, with, after]).count == 3)
        #expect(Set([without, with, after].map(\.identityText)).count == 3)
        #expect(try ModelFile("\(name).\(ending)") == after)
    }

    /// A damaged file is detected before the runtime reads it, and the entry is removed so that it is created again.
    @Test func damagedEntryIsDiscarded() throws {
        let (cache, file) = try filled()
        let blob = try #require(try files(".blob").first)
        let entry = try #require(try files(".network").first)
        let (whole, text) = (try Data(contentsOf: blob), try Data(contentsOf: entry))
        func check(_ damaged: Data, in place: URL) throws {
            try whole.write(to: blob)
            try text.write(to: entry)
            try damaged.write(to: place)
            #expect(cache.compiled(file, input: input, target: target) == nil)
            #expect(try files(".network").isEmpty)
        }
        for (content, place) in [(whole, blob), (text, entry)] {
            for damaged in [Data(), content.prefix(10), content.dropLast(), Data(content.reversed()), content + [0]] {
                try check(damaged, in: place)
            }
            for position in stride(from: 0, to: content.count, by: max(1, content.count / 100)) {
                var damaged = content
                damaged[position] ^= 4
                try check(damaged, in: place)
            }
        }
        try whole.write(to: blob)
        try text.write(to: entry)
        #expect(cache.compiled(file, input: input, target: target) != nil)
    }

    /// A damaged description could otherwise make every start choose a wrong decoder.
    @Test func damagedDescriptionIsRecreated() throws {
        let (cache, file) = try filled()
        let description = try LoadedModel(file, runtime: OpenVINO.shared()).description()
        let others = Set(try files(".network"))
        cache.keep(description, of: file)
        let entry = try #require(try files(".network").first { !others.contains($0) })
        var text = try String(contentsOf: entry, encoding: .utf8)
        #expect(cache.description(of: file)?.outputs[0].name == "out0")
        text = text.replacingOccurrences(of: "out0", with: "out1")
        try text.write(to: entry, atomically: true, encoding: .utf8)
        #expect(cache.description(of: file) == nil)
        cache.keep(description, of: file)
        #expect(cache.description(of: file)?.outputs[0].name == "out0")
    }

    /// Opening a pipe would block until another process writes to it.
    @Test(arguments: [".network", ".blob"]) func nonFilesAreNotEntries(_ ending: String) throws {
        let (cache, file) = try filled()
        let path = try #require(try files(ending).first).path
        unlink(path)
        try #require(mkfifo(path, 0o600) == 0)
        #expect(cache.compiled(file, input: input, target: target) == nil)
        let (folderCache, folderFile) = try filled()
        let place = try #require(try files(ending).first).path
        unlink(place)
        try #require(mkdir(place, 0o700) == 0)
        #expect(folderCache.compiled(folderFile, input: input, target: target) == nil)
    }

    /// Writes an entry that was last used so many seconds ago.
    private func addEntry(_ name: String, endings: [String], age: Int) throws {
        for ending in endings {
            let path = folder + "/" + name + ending
            try Data([1]).write(to: URL(fileURLWithPath: path))
            setAge(age, accessedBefore: age, of: path)
        }
    }

    private func setAge(_ age: Int, accessedBefore access: Int, of path: String) {
        let now = time(nil)
        let times = [timespec(tv_sec: now - access, tv_nsec: 0), timespec(tv_sec: now - age, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
    }

    @Test func theDescriptionsThatWereUsedLeastRecentlyGo() throws {
        let (cache, file) = try filled()
        for number in 0..<230 { try addEntry("description\(number)", endings: [".network"], age: 1000 + number) }
        cache.keep(try LoadedModel(file, runtime: OpenVINO.shared()).description(), of: file)
        let names = try files(".network").map(\.lastPathComponent).filter { $0.hasPrefix("description") }
        #expect(Set(names) == Set((0..<199).map { "description\($0).network" }))
        #expect(cache.description(of: file) != nil)
        #expect(cache.compiled(file, input: input, target: target) != nil)
    }

    /// The cache must not rely on access times. With the mount option `noatime`, reading does not update them. With
    /// `relatime`, it does not update an access time that is less than a day old and newer than the modification time.
    @Test func theCompiledNetworkThatWasUsedLeastRecentlyGoes() throws {
        let (cache, file) = try filled()
        for path in try files(".blob") + files(".network") { setAge(5000, accessedBefore: 4000, of: path.path) }
        for number in 0..<45 { try addEntry("other\(number)", endings: [".blob", ".network"], age: 2000 + number) }
        #expect(cache.compiled(file, input: input, target: target) != nil)
        let entry = try #require(try files(".network").first { !$0.lastPathComponent.hasPrefix("other") })
        var status = stat()
        #expect(stat(entry.path, &status) == 0 && status.st_mtim.tv_sec > time(nil) - 1000)
        let another = try ModelFile(TestNetwork([[1, 3, 16, 16]]).file)
        let read = try LoadedModel(another, runtime: OpenVINO.shared())
        try read.prepare(for: input)
        cache.keep(
            try CompiledModel.compile(read, for: target), try read.description(), of: another, input: input,
            target: target)
        #expect(try files(".blob").count == 40 && files(".network").count == 40)
        #expect(cache.compiled(file, input: input, target: target) != nil)
        #expect(cache.compiled(another, input: input, target: target) != nil)
    }

    @Test func aBlobWhoseTextIsMissingGoesWhenItIsOld() throws {
        let (cache, file) = try filled()
        try addEntry("old", endings: [".blob"], age: 4000)
        try addEntry("new", endings: [".blob"], age: 10)
        cache.keep(try LoadedModel(file, runtime: OpenVINO.shared()).description(), of: file)
        let names = try files(".blob").map(\.lastPathComponent)
        #expect(names.contains("new.blob") && !names.contains("old.blob"))
    }

    @Test func partialWritesAreRemoved() throws {
        _ = try filled()
        let all = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(all.allSatisfy { $0.hasSuffix(".blob") || $0.hasSuffix(".network") })
    }

    @Test func unwritableFolderDisablesCache() throws {
        #expect(NetworkCache(runtime: try OpenVINO.shared(), folder: "/dev/null/cache") == nil)
        #expect(NetworkCache(runtime: try OpenVINO.shared(), folder: nil) == nil)
        #expect(NetworkCache(runtime: try OpenVINO.shared(), folder: "here") == nil)
    }

    @Test func descriptionsRoundTrip() throws {
        let description = NetworkDescription(
            inputs: [TensorDescription(name: "images of, all kinds", shape: [nil, 3, nil, 20], element: .uint8)],
            outputs: [
                TensorDescription(name: "", shape: [], element: .int64),
                TensorDescription(name: "StatefulPartitionedCall:1", shape: [1, nil, 4], element: .float32),
            ])
        let again = try #require(NetworkDescription(text: description.text))
        #expect(again.inputs.map(\.name) == description.inputs.map(\.name))
        #expect(again.inputs.map(\.shape) == description.inputs.map(\.shape))
        #expect(again.outputs.map(\.name) == description.outputs.map(\.name))
        #expect(again.outputs.map(\.shape) == description.outputs.map(\.shape))
        #expect(again.outputs.map(\.element) == description.outputs.map(\.element))
        for wrong in [
            "", "input", "input float32", "input float33 1 a\noutput float32 1 b", "input float32 1 a", "a\nb",
        ] {
            #expect(NetworkDescription(text: wrong) == nil)
        }
    }
}
