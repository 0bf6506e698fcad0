import Testing

@testable import SwiftODT

/// Tests the reusable lists: their contents are correct, and their memory is reused.
@Suite struct ScratchListTests {
    @Test func appendSurvivesGrowth() {
        var list = ScratchList<Int>()
        #expect(Self.contents(list) == [])
        for number in 0..<1000 { list.append(number * number) }
        #expect(Self.contents(list) == (0..<1000).map { $0 * $0 })
        list[999] = -1
        #expect(Self.contents(list).suffix(2) == [998 * 998, -1])
    }

    @Test func clearReusesMemory() {
        var list = ScratchList<Double>()
        for number in 0..<100 { list.append(Double(number)) }
        let place = list.view.baseAddress
        list.clear()
        #expect(Self.contents(list) == [])
        for number in 0..<100 { list.append(Double(2 * number)) }
        #expect(Self.contents(list) == (0..<100).map { Double(2 * $0) })
        let laterPlace = list.view.baseAddress
        #expect(laterPlace == place)
    }

    @Test(arguments: [3, 200, 0, 17])
    func resetFillsWithElement(_ count: Int) {
        var list = ScratchList<Int>()
        for number in 0..<10 { list.append(number) }
        list.reset(to: 7, count: count)
        #expect(Self.contents(list) == Array(repeating: 7, count: count))
        list.append(8)
        #expect(Self.contents(list).last == 8)
    }

    @Test func sortAndShortenKeepFirst() {
        var list = ScratchList<Int>()
        list.sort()
        list.shorten(to: 0)
        for number in 0..<100 { list.append(number * 37 % 101) }
        let sorted = Self.contents(list).sorted()
        list.sort()
        #expect(Self.contents(list) == sorted)
        list.sort { $0 > $1 }
        list.shorten(to: 2)
        list.append(5)
        #expect(Self.contents(list) == [sorted[99], sorted[98], 5])
    }

    @Test func keepPreservesOrder() {
        var list = ScratchList<Int>()
        list.keep { _ in true }
        for number in 0..<20 { list.append(number) }
        list.keep { $0 % 3 == 1 }
        #expect(Self.contents(list) == [1, 4, 7, 10, 13, 16, 19])
        list.keep { _ in false }
        #expect(Self.contents(list) == [])
    }

    private static func contents<Element>(_ list: borrowing ScratchList<Element>) -> [Element] {
        let byIndex = list.indices.map { list[$0] }
        #expect(byIndex.count == list.view.count)
        return Array(list.view)
    }
}
