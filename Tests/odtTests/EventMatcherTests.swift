import Playback
import SwiftODT
import TestSupport
import Testing

@testable import odt

@Suite("EventMatcher")
struct EventMatcherTests {
    init() throws { try PluginSearch.startGStreamer() }

    /// Returns the rules of a configuration file. Each rule has the action `true`.
    private func rules(_ groups: String) throws -> [EventRule] {
        let folder = try TemporaryFolder()
        let path = try folder.write("watch.conf", groups.replacing("]\n", with: "]\naction=true\n"))
        return try KeyFile(path).groups.map { try EventRule($0) }
    }

    /// Feeds a matcher with zone events and collects the names of the rules that match.
    private struct Play {
        var matcher: EventMatcher
        var names: [String] = []

        init(_ rules: [EventRule]) { matcher = EventMatcher(rules) }

        /// - Parameters:
        ///   - time: The time of the frame in seconds.
        ///   - past: The time from the event to the frame in seconds.
        mutating func see(
            _ event: String, in zone: String, of camera: String, isFile: Bool, at time: Double, past: Double = 0,
            label: String = ""
        ) {
            let fields = OwnedStructure(named: "swiftodt-zone")
            fields.set("event", to: event)
            fields.set("zone", to: zone)
            fields.set("label", to: label)
            fields.set("tracking-id", to: UInt64(7))
            let (running, steady) = isFile ? (time, 1_000) : (time - 500, time)
            fields.set("running-time", to: UInt64(running * 1e9))
            fields.set("event-running-time", to: UInt64((running - past) * 1e9))
            hand(fields, of: camera, isFile: isFile, at: steady)
        }

        mutating func end(_ camera: String) {
            let fields = OwnedStructure(named: "swiftodt-camera")
            fields.set("event", to: "ended")
            hand(fields, of: camera, isFile: true, at: 2_000)
        }

        private mutating func hand(_ fields: OwnedStructure, of camera: String, isFile: Bool, at steady: Double) {
            let message = WatchMessage(
                camera: camera, time: 0, steady: Nanoseconds(seconds: steady), fields: MessageFields(fields.pointer),
                line: "", mayWait: isFile)
            names += matcher.take(message).map(\.rule.name)
        }
    }

    private let sequence = "[event first]\nzone=door\nevent=enter\n[event second]\nzone=yard\nafter=first\nwithin=10\n"

    @Test func sequenceLinksCameras() throws {
        var play = Play(try rules(sequence))
        play.see("enter", in: "door", of: "front", isFile: false, at: 1_000)
        play.see("enter", in: "yard", of: "back", isFile: false, at: 1_009)
        play.see("enter", in: "yard", of: "back", isFile: false, at: 1_009.5)
        play.see("enter", in: "door", of: "front", isFile: false, at: 1_020)
        play.see("enter", in: "yard", of: "back", isFile: false, at: 1_031)
        #expect(play.names == ["first", "second", "first"])
    }

    /// The times of a file are running times. They cannot be compared with those of cameras and of other files.
    @Test func sequenceDoesNotLinkFilesWithOtherSources() throws {
        var play = Play(try rules(sequence))
        play.see("enter", in: "door", of: "front", isFile: false, at: 1_000)
        play.see("enter", in: "yard", of: "file", isFile: true, at: 5)
        play.see("enter", in: "door", of: "file", isFile: true, at: 100)
        play.see("enter", in: "yard", of: "other", isFile: true, at: 101)
        play.see("enter", in: "yard", of: "file", isFile: true, at: 102)
        #expect(play.names == ["first", "first", "second"])
        // The file is played again.
        play.end("file")
        play.see("enter", in: "yard", of: "file", isFile: true, at: 3)
        #expect(play.names.count == 3)
    }

    @Test func oneEventIsNotBothPartsOfSequence() throws {
        var play = Play(try rules("[event first]\nzone=door\n[event second]\nzone=door\nafter=first\nwithin=10\n"))
        play.see("enter", in: "door", of: "cam", isFile: false, at: 1_000)
        #expect(play.names == ["first"])
        play.see("leave", in: "door", of: "cam", isFile: false, at: 1_005)
        #expect(play.names == ["first", "first", "second"])
    }

    @Test func labelsAreComparedWithoutCase() throws {
        var play = Play(try rules("[event a]\nlabel=Car\n[event b]\nlabel=dog\n"))
        play.see("enter", in: "door", of: "cam", isFile: false, at: 1_000, label: "cAr")
        #expect(play.names == ["a"])
    }

    /// A `leave` event arrives 2 s after the last detection. An `enter` event arrives when the label is known.
    @Test(arguments: [true, false]) func dwellIsMeasuredBetweenEvents(_ isFile: Bool) throws {
        for (enter, leave, names) in [(0.0, 2.0, [String]()), (2, 2, ["stay"]), (2, 0, ["stay"])] {
            var play = Play(try rules("[event stay]\nzone=door\ndwell=3\n"))
            play.see("enter", in: "door", of: "cam", isFile: isFile, at: 1_000, past: enter)
            play.see("leave", in: "door", of: "cam", isFile: isFile, at: 1_004, past: leave)
            #expect(play.names == names, "\(enter), \(leave)")
        }
    }

    @Test func spacesAroundNamesAreIgnored() throws {
        let rule = try #require(try rules("[event a]\nlabel=person , Car\nzone= door ,yard \n").first)
        #expect(rule.labels == ["person", "car"] && rule.zones == ["door", "yard"])
    }

    @Test func sequenceOfRulesWithoutCommonClockIsRefused() throws {
        let rules = try rules(
            sequence.replacing("door\n", with: "door\ncamera=front\n")
                .replacing("yard\n", with: "yard\ncamera=file\n"))
        func check(_ file: String, _ camera: String = "rtsp://127.0.0.1/a") throws {
            var plans = [CameraPlan(name: "front", source: camera), CameraPlan(name: "file", source: file)]
            let zones = ["door", "yard"].map { "{\"name\":\"\($0)\",\"points\":[[0,0],[1,0],[1,1]]}" }
            for number in plans.indices {
                plans[number].settings = [CameraSetting("zones=[\(zones.joined(separator: ","))]")]
            }
            try EventRule.check(rules, cameras: plans, savesClips: false)
        }
        try check("rtsp://127.0.0.1/b")
        for camera in ["rtsp://127.0.0.1/a", "/a.mp4"] {
            do {
                try check("/b.mp4", camera)
                Issue.record("the rules are accepted")
            } catch let error as PlaybackError {
                #expect(error.description.contains("watch.conf:6: after=first links events"), "\(error)")
            }
        }
    }
}
