import Foundation
import Testing

@testable import SwiftODT

/// Tests the lifetime of requests: each completes once with the result of its picture, and can be released at any time.
@Suite(.enabled(if: TestNetwork.hasRuntime, "no OpenVINO on this machine"))
struct InferenceRequestTests {
    private static func network(_ hint: InferenceHint = .throughput, size: Int = 64) throws -> Network {
        try Network.load(
            file: TestNetwork([[1, 3, size, size]]).file, input: NetworkInput(width: size, height: size), hint: hint)
    }

    private static func level(_ request: InferenceRequest) throws -> Float {
        try #require(try request.outputs().first).bytes.load(as: Float.self)
    }

    @Test func concurrentRequestsKeepTheirInputs() throws {
        let network = try Self.network()
        let requests = try (0..<16).map { _ in try network.makeRequest() }
        let answers = Monitor([Int: Float]())
        for round in 0..<4 {
            answers.update { $0 = [:] }
            for (number, request) in requests.enumerated() {
                _ = try PackedPicture.withGrey(UInt8(number * 10 + round)) { try request.fill(from: $0) }
                request.start { result in
                    let level = (try? result.get()).flatMap { try? Self.level(request) }
                    answers.update { $0[number] = level ?? -1 }
                }
            }
            let seen = answers.wait { $0.count == requests.count ? $0 : nil }
            for number in requests.indices { #expect(seen[number] == Float(number * 10 + round)) }
        }
    }

    @Test func busyRequestRejectsStart() throws {
        let request = try Self.network(size: 512).makeRequest()
        let refused = Monitor(0)
        let done = Monitor(0)
        for _ in 0..<50 {
            request.start { result in
                if case .failure = result { refused.update { $0 += 1 } }
                done.update { $0 += 1 }
            }
        }
        done.wait { $0 == 50 ? () : nil }
        #expect(refused.update { $0 } < 50)
    }

    @Test func completionMayStartNextInference() throws {
        let request = try Self.network().makeRequest()
        let left = Monitor(20)
        @Sendable func again(_ result: Result<Void, any Error>) {
            #expect(throws: Never.self) { try result.get() }
            if left.update({
                $0 -= 1; return $0
            }) > 0 {
                request.start(completion: again)
            }
        }
        request.start(completion: again)
        left.wait { $0 == 0 ? () : nil }
    }

    @Test func requestMayBeReleasedWhileRunning() throws {
        let network = try Self.network(.latency, size: 256)
        for round in 0..<40 {
            let ended = Monitor(0)
            var request: InferenceRequest? = try network.makeRequest()
            if round.isMultiple(of: 2) {
                request?.start { _ in ended.update { $0 += 1 } }
                request = nil
            } else {
                // The completion handler holds the last reference.
                let kept = try #require(request)
                request?.start { [kept] _ in
                    withExtendedLifetime(kept) { ended.update { $0 += 1 } }
                }
                request = nil
            }
            ended.wait { $0 == 1 ? () : nil }
        }
    }

    @Test func cancelledRequestReportsAndIsReusable() throws {
        let request = try Self.network(size: 1024).makeRequest()
        let result = Monitor<Result<Void, any Error>?>(nil)
        var cancelled = 0
        for _ in 0..<10 {
            result.update { $0 = nil }
            request.start { answer in result.update { $0 = answer } }
            request.cancel()
            if case .failure(let error) = result.wait(for: { $0 }), error is CancellationError { cancelled += 1 }
        }
        #expect(cancelled > 0)
        request.cancel()
        _ = try PackedPicture.withGrey(77) { try request.fill(from: $0) }
        try request.infer()
        #expect(try Self.level(request) == 77)
    }

    /// After a flush between filling and starting, the obsolete inference must not run, but the next picture must.
    @Test func cancelBeforeStartIsRemembered() throws {
        let request = try Self.network().makeRequest()
        _ = try PackedPicture.withGrey(10) { try request.fill(from: $0) }
        request.cancel()
        #expect(throws: CancellationError.self) { try request.infer() }
        _ = try PackedPicture.withGrey(20) { try request.fill(from: $0) }
        try request.infer()
        #expect(try Self.level(request) == 20)

        _ = try PackedPicture.withGrey(30) { try request.fill(from: $0) }
        request.cancel()
        let refused = Monitor<Result<Void, any Error>?>(nil)
        request.start { answer in refused.update { $0 = answer } }
        #expect(throws: CancellationError.self) { try refused.wait(for: { $0 }).get() }
        _ = try PackedPicture.withGrey(40) { try request.fill(from: $0) }
        let cancelled = Monitor<Result<Void, any Error>?>(nil)
        request.start { answer in cancelled.update { $0 = answer } }
        request.cancel()
        cancelled.wait { $0 == nil ? nil : () }
        _ = try PackedPicture.withGrey(50) { try request.fill(from: $0) }
        try request.infer()
        #expect(try Self.level(request) == 50)
    }

    @Test(arguments: FailingNetwork.Output.allCases)
    func failedInferenceIsAnError(_ output: FailingNetwork.Output) throws {
        let file = try FailingNetwork(output).file
        let request = try Network.load(file: file, input: NetworkInput(width: 8, height: 8), hint: .latency)
            .makeRequest()
        for (level, works) in [(7, false), (2, true), (7, false), (4, true), (5, false), (7, false), (8, true)] {
            _ = try PackedPicture.withGrey(UInt8(level)) { try request.fill(from: $0) }
            guard works else {
                let error = try detectorError { try request.infer() }
                #expect(error.reason == .failed)
                #expect(error.description.contains(file))
                continue
            }
            try request.infer()
            let answer = try #require(try request.outputs().first)
            switch output {
            case .float: #expect(answer.bytes.load(as: Float.self) == Float(level * 192))
            case .wholeNumber: #expect(answer.bytes.load(as: Int64.self) == Int64(level * 192))
            case .open: #expect(answer.shape == [level, 192 / level])
            }
        }
    }

    /// The process waits at exit until all inferences of released requests have completed.
    @Test func inFlightInferencesDrain() throws {
        let network = try Self.network(size: 512)
        for _ in 0..<8 { try network.makeRequest().start { _ in } }
        #expect(InFlightInferences.drain(within: 20_000))
    }

    /// Failures complete on a thread of the library. The request may be released from inside and outside the handler.
    @Test(arguments: FailingNetwork.Output.allCases)
    func requestMayBeReleasedWhileFailing(_ output: FailingNetwork.Output) throws {
        let network = try Network.load(
            file: FailingNetwork(output).file, input: NetworkInput(width: 8, height: 8), hint: .latency)
        for round in 0..<40 {
            let ended = Monitor(0)
            var request: InferenceRequest? = try network.makeRequest()
            _ = try PackedPicture.withGrey(7) { try request?.fill(from: $0) }
            let kept = round.isMultiple(of: 2) ? request : nil
            request?.start { [kept] _ in
                withExtendedLifetime(kept) { ended.update { $0 += 1 } }
            }
            request = nil
            ended.wait { $0 == 1 ? () : nil }
        }
    }
}
