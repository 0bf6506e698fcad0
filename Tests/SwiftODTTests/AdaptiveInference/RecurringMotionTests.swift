import Testing

@testable import SwiftODT

@Suite struct RecurringMotionTests {
    private static let second: Nanoseconds = 1_000_000_000
    private var change = FrameDifference()
    private var recurring = RecurringMotion()
    private let moving: ContiguousArray<Bool>

    /// Compares two planes of 10 x 6 cells that differ in the third cell of the third row.
    init() throws {
        change.remember(Self.plane(isMoving: false))
        let isComparable = change.compare(Self.plane(isMoving: true), after: 1)
        try #require(isComparable && change.count == 1)
        moving = change.isChanged
    }

    private static func plane(isMoving: Bool) -> LumaPlane {
        let pixels = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 160 * 96)
        for index in pixels.indices {
            let isInCell = (32..<48).contains(index % 160) && (32..<48).contains(index / 160)
            pixels[index] = isMoving && isInCell ? 200 : 80
        }
        return LumaPlane(adopting: pixels, width: 160, height: 96, scaleX: 1, scaleY: 1, time: 0)
    }

    private func moving(column: Int, row: Int) -> ContiguousArray<Bool> {
        var cells = ContiguousArray(repeating: false, count: moving.count)
        cells[row * 10 + column] = true
        return cells
    }

    private mutating func learn(_ inferences: Int = 12, every step: Nanoseconds = second) {
        for _ in 0..<inferences {
            recurring.advance(by: step)
            recurring.noteInference(moving, in: change)
        }
    }

    @Test mutating func cellAndItsNeighboursAreIgnoredAfterTwelveEmptyInferences() {
        learn(11)
        #expect(recurring.counts(moving))
        learn(1)
        #expect(!recurring.counts(moving))
        #expect(!recurring.counts(moving(column: 3, row: 1)))
        #expect(recurring.counts(moving(column: 4, row: 2)))
        #expect(recurring.counts(moving(column: 2, row: 5)))
    }

    @Test mutating func detectionInCellMakesItsMotionCount() {
        learn()
        recurring.noteInference(ContiguousArray(repeating: false, count: moving.count), in: change)
        #expect(recurring.counts(moving))
    }

    /// Pauses between rarely decoded frames count for one second each.
    @Test(arguments: [(1, 60), (10, 60)]) mutating func cellIsForgottenAfterAMinuteWithoutMotion(
        _ seconds: Nanoseconds, _ frames: Int
    ) {
        learn(every: seconds * Self.second)
        var still = change
        still.remember(Self.plane(isMoving: true))
        let isComparable = still.compare(Self.plane(isMoving: true), after: 1)
        #expect(isComparable && still.count == 0)
        for frame in 1...frames + 1 {
            recurring.advance(by: seconds * Self.second)
            recurring.noteInference(still.isChanged, in: still)
            #expect(recurring.counts(moving) == (frame > frames))
        }
    }

    @Test mutating func forgottenCellsCount() {
        learn()
        recurring.forget()
        #expect(recurring.counts(moving))
    }
}
