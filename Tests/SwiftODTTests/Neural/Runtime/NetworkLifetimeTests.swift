import CODTOpenVINO
import Foundation
import Testing

@testable import SwiftODT

/// Protects that networks are freed: after errors too, and not on the thread that releases them.
@Suite(.serialized, .enabled(if: TestNetwork.hasRuntime, "no OpenVINO on this machine"))
struct NetworkLifetimeTests {
    private static let freeingThread = Monitor<pthread_t?>(nil)

    /// A network of a runtime with some functions replaced.
    private static func network(_ change: (inout swiftodt_openvino) -> Void) throws -> Network {
        let shared = try OpenVINO.shared()
        var functions = shared.functions
        change(&functions)
        let input = NetworkInput(width: 8, height: 8)
        let file = try ModelFile(TestNetwork([[1, 3, 8, 8]]).file)
        let read = try LoadedModel(file, runtime: OpenVINO(shared, functions: functions))
        try read.prepare(for: input)
        let target = CompilationTarget(device: "CPU", threads: 0, hint: .latency)
        return try Network(
            CompiledModel.compile(read, for: target), read.description(), name: file.name, input: input)
    }

    private static func expectFreedAfterError(_ change: (inout swiftodt_openvino) -> Void) throws {
        weak var compiled: CompiledModel?
        weak var network: Network?
        do {
            let made = try Self.network(change)
            (compiled, network) = (made.compiled, made)
            #expect(throws: ODTError.self) { try made.makeRequest() }
        }
        #expect(InFlightInferences.drain(within: 20_000))
        #expect(network == nil && compiled == nil)
    }

    @Test func aNetworkIsFreedWhereNoRequestCanBeCreated() throws {
        try Self.expectFreedAfterError { $0.ov_compiled_model_create_infer_request = { _, _ in -1 } }
    }

    @Test func aNetworkIsFreedWhereARequestHasNoInput() throws {
        try Self.expectFreedAfterError { $0.ov_infer_request_get_input_tensor_by_index = { _, _, _ in -1 } }
    }

    @Test func aNetworkIsFreedWhereTheInputHasAnotherSize() throws {
        try Self.expectFreedAfterError {
            $0.ov_tensor_get_byte_size = { _, size in
                size?.pointee = 7
                return 0
            }
        }
    }

    @Test func aNetworkIsFreedOnAThreadOfItsOwn() throws {
        var network: Network? = try Self.network {
            $0.ov_compiled_model_free = { model in
                Self.freeingThread.update { $0 = pthread_self() }
                try? OpenVINO.shared().functions.ov_compiled_model_free(model)
            }
        }
        #expect(network != nil)
        network = nil
        let thread = Self.freeingThread.wait { $0 }
        #expect(pthread_equal(thread, pthread_self()) == 0)
    }
}
