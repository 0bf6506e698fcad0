import Testing

@testable import SwiftODT

@Suite struct SerialThreadTests {
    @Test func functionsRunOneAtATimeInOrder() throws {
        let (thread, isRunning, order) = (SerialThread(), Monitor(false), Monitor([Int]()))
        let done = Promise<Void>()
        for number in 0..<100 {
            thread.run {
                let isAlone = isRunning.update { state in
                    defer { state = true }
                    return !state
                }
                #expect(isAlone)
                order.update { $0.append(number) }
                isRunning.update { $0 = false }
                if number == 99 { done.fulfil(.success(())) }
            }
        }
        try done.wait()
        #expect(order.read { $0 } == Array(0..<100))
    }
}
