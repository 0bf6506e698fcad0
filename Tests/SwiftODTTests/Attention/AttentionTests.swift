import Testing

@testable import SwiftODT

/// Protects which frames of a stream are looked at.
@Suite struct AttentionTests {
    private static func occasion(_ number: Int, isFree: Bool = true, isAsked: Bool = false) -> Attention.Occasion {
        Attention.Occasion(time: Nanoseconds(number) * 100_000_000, isFree: isFree, isAsked: isAsked)
    }

    @Test(arguments: [1, 2, 5]) func eachNthFrameIsLookedAtFromTheFirstOn(_ interval: Int) {
        var attention = Attention()
        for number in 0..<20 {
            let reason = attention.look(Self.occasion(number), in: nil, at: .every(interval))
            #expect((reason == .interval) == (number % interval == 0))
        }
    }

    /// Frames go by while a detector is at work: the first that finds it free is the one, and it is counted from there.
    @Test func whatComesWhileNobodyIsFreeCountsForTheInterval() {
        var attention = Attention()
        var looks: [Int] = []
        for number in 0..<20 {
            let isFree = !(3..<8).contains(number)
            if attention.look(Self.occasion(number, isFree: isFree), in: nil, at: .every(3)) != nil {
                looks.append(number)
            }
        }
        #expect(looks == [0, 8, 11, 14, 17])
    }

    @Test func whatIsAskedForIsLookedAtAndTheIntervalBeginsAnew() {
        var attention = Attention()
        var looks: [Int] = []
        for number in 0..<12 {
            let reason = attention.look(Self.occasion(number, isAsked: number == 2), in: nil, at: .every(5))
            if reason != nil { looks.append(number) }
            #expect((reason == .asked) == (number == 2))
        }
        #expect(looks == [0, 2, 7])
    }

    @Test func afterAResetTheNextFrameIsLookedAt() {
        var attention = Attention()
        _ = attention.look(Self.occasion(0), in: nil, at: .every(10))
        #expect(!attention.mayLook(Self.occasion(1), at: .every(10)))
        attention.reset()
        #expect(attention.mayLook(Self.occasion(1), at: .every(10)))
        #expect(attention.look(Self.occasion(1), in: nil, at: .every(10)) == .interval)
    }
}
