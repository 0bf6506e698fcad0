import SwiftODT
import Testing

@testable import GstSwiftODT

/// Tests that traces follow objects, fade, end, and are bounded.
@Suite struct TraceTests {
    private static let second: Nanoseconds = 1_000_000_000

    private var options: AnnotatorOptions {
        var options = AnnotatorOptions()
        options.drawTraces = true
        options.traceDuration = 2 * Self.second
        return options
    }

    private func object(_ x: Double, id: Int? = 1) -> AnnotatedObject {
        .init(id: id, box: Box(x: x, y: 20, width: 10, height: 10))
    }

    @Test func traceFadesAfterObjectEnds() {
        var history = TraceHistory()
        for number in 0..<10 {
            history.record(
                [object(Double(number) * 5)], options: options, time: Int64(number) * Self.second / 10, spacing: 2)
        }
        let duration = options.traceDuration
        #expect(history.traces[1]?.points.count == 10)
        #expect(history.isVisible(at: Self.second, duration: duration))
        #expect(history.isVisible(at: 5 * Self.second / 2, duration: duration))
        #expect(!history.isVisible(at: 3 * Self.second, duration: duration))
        history.record([], options: options, time: 3 * Self.second, spacing: 2)
        #expect(history.traces.isEmpty)
    }

    /// A person who is re-identified returns at another place.
    @Test(arguments: [(0.8, 2), (1.5, 1)]) func longAbsenceBeginsAnotherTrace(_ seconds: Double, points: Int) {
        var history = TraceHistory()
        history.record([object(0)], options: options, time: 0, spacing: 2)
        for time in stride(from: 0.1, through: seconds, by: 0.1) {
            history.record([], options: options, time: Int64(time * 1e9), spacing: 2)
        }
        history.record([object(80)], options: options, time: Int64((seconds + 0.1) * 1e9), spacing: 2)
        #expect(history.traces[1]?.points.count == points)
    }

    @Test func traceLengthIsBounded() {
        var resting = TraceHistory()
        var moving = TraceHistory()
        var options = options
        options.traceDuration = .max
        for number in 0..<2000 {
            let time = Int64(number) * Self.second / 30
            resting.record([object(50 + Double(number % 2))], options: options, time: time, spacing: 4)
            moving.record([object(Double(number) * 10)], options: options, time: time, spacing: 4)
        }
        #expect((resting.traces[1]?.points.count ?? 0) <= 2)
        #expect((moving.traces[1]?.points.count ?? 0) <= 256)
    }

    @Test(arguments: [5, 30, 240]) func longTraceIsComplete(_ frameRate: Int) throws {
        var history = TraceHistory()
        var options = options
        options.traceDuration = 60 * Self.second
        for number in 0...90 * frameRate {
            let time = Int64(number) * Self.second / Int64(frameRate)
            history.record([object(Double(number) * 10)], options: options, time: time, spacing: 4)
        }
        let points = try #require(history.traces[1]?.points)
        #expect(points.count <= 256)
        #expect(points[0].time <= 30 * Self.second && points[1].time > 30 * Self.second)
        #expect(zip(points, points.dropFirst()).allSatisfy { $1.time - $0.time < Self.second / 2 })
    }

    @Test func predictedPointsAreRemovedAfterNextDetection() {
        var history = TraceHistory()
        for number in 0..<9 {
            var object = object(Double(number) * 5)
            if (4..<8).contains(number) {
                object.coasting = true
                object.box.y += 100
            }
            history.record([object], options: options, time: Int64(number) * Self.second / 10, spacing: 2)
            #expect(history.traces[1]?.points.count == (number < 8 ? number + 1 : 5))
        }
        #expect(history.traces[1]?.points.allSatisfy { $0.y == 25 } == true)
    }

    @Test func predictedPointsAreRemovedWithTheirObject() {
        var history = TraceHistory()
        var object = object(0)
        history.record([object], options: options, time: 0, spacing: 2)
        object.coasting = true
        object.box.y += 100
        history.record([object], options: options, time: Self.second / 10, spacing: 2)
        #expect(history.traces[1]?.points.count == 2)
        history.record([], options: options, time: Self.second / 5, spacing: 2)
        #expect(history.traces[1]?.points.count == 1)
    }

    @Test func backwardTimeClearsTraces() {
        var history = TraceHistory()
        history.record([object(0)], options: options, time: 5 * Self.second, spacing: 2)
        history.record([object(50)], options: options, time: Self.second, spacing: 2)
        #expect(history.traces[1]?.points.count == 1)
    }

    /// Traces without boxes and labels must be recorded even before there is one to draw.
    @Test func tracesAreDrawnAlongPastPositions() {
        var options = options
        (options.drawBoxes, options.drawLabels) = (false, false)
        let annotator = Annotator()
        let picture = Painting(width: 200, height: 100)
        for number in 0..<10 {
            let objects = [object(Double(number) * 8)]
            let time = Int64(number) * Self.second / 10
            guard annotator.needsDrawing(objects, options: options, width: 200, height: 100, time: time) else {
                continue
            }
            picture.withFrame(time: time) { annotator.draw(objects, options: options, into: $0) }
        }
        #expect(picture.pixels.contains { $0 != picture[199, 99] })
        options.drawTraces = false
        #expect(!annotator.needsDrawing([object(0)], options: options, width: 200, height: 100, time: 0))
    }

    @Test func tracesNeedIDsAndProperty() {
        var history = TraceHistory()
        history.record([object(0, id: nil)], options: options, time: 0, spacing: 2)
        #expect(history.traces.isEmpty)
        history.record([object(0)], options: AnnotatorOptions(), time: 0, spacing: 2)
        #expect(history.traces.isEmpty)
    }

    @Test func traceIsDrawnWithoutCurrentObjects() {
        let annotator = Annotator()
        let picture = Painting(width: 64, height: 48, background: 0)
        for number in 0..<5 {
            Painting(width: 64, height: 48).withFrame(time: Int64(number) * Self.second / 10) {
                annotator.draw([object(Double(number) * 10)], options: options, into: $0)
            }
        }
        let later = 6 * Self.second / 10
        #expect(annotator.needsDrawing([], options: options, width: 64, height: 48, time: later))
        picture.withFrame(time: later) { annotator.draw([], options: options, into: $0) }
        #expect(picture[30, 25] != 0)
        #expect(picture[30, 40] == 0)
    }

    @Test func sceneCutClearsTraces() {
        let annotator = Annotator()
        for number in 0..<5 {
            Painting(width: 64, height: 48).withFrame(time: Int64(number) * Self.second / 10) {
                annotator.draw([object(Double(number) * 10)], options: options, into: $0)
            }
        }
        let later = 6 * Self.second / 10
        #expect(annotator.needsDrawing([], options: options, width: 64, height: 48, time: later))
        annotator.forgetTraces()
        #expect(!annotator.needsDrawing([], options: options, width: 64, height: 48, time: later))
    }
}
