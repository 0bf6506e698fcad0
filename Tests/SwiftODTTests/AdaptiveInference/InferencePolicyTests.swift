import Testing

@testable import SwiftODT

extension InferencePolicy {
    /// Returns the reason to run inference on a frame if inferences of any utility can run.
    mutating func reasonToInfer(_ frameState: FrameState, in plane: LumaPlane?, at interval: Interval) -> Reason? {
        reasonToInfer(frameState, in: plane, at: interval) { _ in true }
    }
}

/// Tests which frames of a stream are inferred.
@Suite struct InferencePolicyTests {
    private static func frameState(_ number: Int, isDetectorIdle: Bool = true, isRequested: Bool = false)
        -> InferencePolicy.FrameState
    {
        InferencePolicy.FrameState(
            time: Nanoseconds(number) * 100_000_000, isDetectorIdle: isDetectorIdle, isRequested: isRequested)
    }

    @Test(arguments: [1, 2, 5]) func everyNthFrameIsInferredFromFirst(_ interval: Int) {
        var policy = InferencePolicy()
        for number in 0..<20 {
            let reason = policy.reasonToInfer(Self.frameState(number), in: nil, at: .every(interval))
            #expect((reason == .interval) == (number % interval == 0))
        }
    }

    /// Frames pass while the detector is busy. The first frame that finds it idle is inferred and restarts the
    /// interval.
    @Test func skippedFramesCountTowardsInterval() {
        var policy = InferencePolicy()
        var inferred: [Int] = []
        for number in 0..<20 {
            let isDetectorIdle = !(3..<8).contains(number)
            if policy.reasonToInfer(Self.frameState(number, isDetectorIdle: isDetectorIdle), in: nil, at: .every(3))
                != nil
            {
                inferred.append(number)
            }
        }
        #expect(inferred == [0, 8, 11, 14, 17])
    }

    @Test func requestedInferenceRestartsInterval() {
        var policy = InferencePolicy()
        var inferred: [Int] = []
        for number in 0..<12 {
            let reason = policy.reasonToInfer(Self.frameState(number, isRequested: number == 2), in: nil, at: .every(5))
            if reason != nil { inferred.append(number) }
            #expect((reason == .requested) == (number == 2))
        }
        #expect(inferred == [0, 2, 7])
    }

    @Test func resetTriggersInference() {
        var policy = InferencePolicy()
        _ = policy.reasonToInfer(Self.frameState(0), in: nil, at: .every(10))
        #expect(!policy.mayInfer(Self.frameState(1), at: .every(10)))
        policy.reset()
        #expect(policy.mayInfer(Self.frameState(1), at: .every(10)))
        #expect(policy.reasonToInfer(Self.frameState(1), in: nil, at: .every(10)) == .interval)
    }
}
