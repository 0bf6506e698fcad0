import CODTGStreamer
import Glibc
import ODTPlayback
import ODTTestSupport
import SwiftODT
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

    /// Feeds a matcher with messages and collects the events that match and the names of their rules.
    private struct Play {
        var matcher: EventMatcher
        var names: [String] = []
        var events: [WatchEvent] = []
        /// The wall-clock time of the messages in nanoseconds since 1970.
        var wall: Nanoseconds = 0
        /// The wall-clock time of the frames; `nil` if it is unknown.
        var utc: Nanoseconds?

        init(_ rules: [EventRule]) { matcher = EventMatcher(rules) }

        /// - Parameters:
        ///   - time: The time of the frame in seconds.
        ///   - past: The time from the event to the frame in seconds.
        ///   - late: The time from the frame to the arrival of the message in seconds.
        mutating func see(
            _ event: String, in zone: String, of camera: String = "cam", isFile: Bool = false, at time: Double,
            past: Double = 0, late: Double = 0, label: String = "", id: UInt64 = 7
        ) {
            let fields = OwnedStructure(named: "swiftodt-zone")
            fields.set("event", to: event)
            fields.set("zone", to: zone)
            fields.set("label", to: label)
            fields.set("tracking-id", to: id)
            let running = isFile ? time : time - 500
            fields.set("event-running-time", to: UInt64((running - past) * 1e9))
            hand(fields, of: camera, isFile: isFile, at: time, late: late)
        }

        /// - Parameter start: The time of the track's first detection in seconds.
        mutating func track(
            _ event: String, _ id: UInt64, label: String = "", from start: Double = 600, reason: String? = nil,
            at time: Double
        ) {
            let fields = OwnedStructure(named: "swiftodt-track")
            fields.set("event", to: event)
            fields.set("label", to: label)
            fields.set("tracking-id", to: id)
            fields.set("first-seen", to: UInt64((start - 500) * 1e9))
            if let reason { fields.set("reason", to: reason) }
            hand(fields, of: "cam", isFile: false, at: time)
        }

        /// Passes a result with detected objects of 40 x 100 pixels.
        mutating func see(
            _ objects: [(id: UInt64, x: UInt32)], label: String = "", at time: Double, late: Double = 0
        ) {
            let fields = OwnedStructure(named: "swiftodt")
            var list = GValue()
            g_value_init(&list, gst_value_list_get_type())
            for (id, x) in objects {
                let object = OwnedStructure(named: "object")
                object.set("tracking-id", to: id)
                object.set("label", to: label)
                object.set("state", to: "tracked")
                for (name, pixels) in [("x", x), ("y", 50), ("width", 40), ("height", 100)] {
                    object.set(name, to: pixels)
                }
                var item = GValue()
                g_value_init(&item, gst_structure_get_type())
                g_value_set_boxed(&item, object.pointer)
                gst_value_list_append_and_take_value(&list, &item)
            }
            gst_structure_take_value(fields.pointer, "objects", &list)
            hand(fields, of: "cam", isFile: false, at: time, late: late)
        }

        mutating func end(_ camera: String, isFile: Bool = true) {
            let fields = OwnedStructure(named: "swiftodt-camera")
            fields.set("event", to: "ended")
            hand(fields, of: camera, isFile: isFile, at: nil)
        }

        /// - Parameter time: The time of the frame in seconds; `nil` if the message concerns no frame.
        private mutating func hand(
            _ fields: OwnedStructure, of camera: String, isFile: Bool, at time: Double?, late: Double = 0
        ) {
            if let time { fields.set("running-time", to: UInt64((isFile ? time : time - 500) * 1e9)) }
            if let utc { fields.set("utc-time", to: UInt64(utc)) }
            let steady = isFile ? 1_000 : (time ?? 2_000) + late
            let message = WatchMessage(
                camera: camera, time: wall, steady: Nanoseconds(seconds: steady),
                fields: MessageFields(fields.pointer), line: "", mayWait: isFile)
            let matches = matcher.take(message)
            names += matches.map(\.rule.name)
            events += matches.map(\.event)
        }
    }

    /// The gate delays frames by some seconds. Other differences come from a wrong clock.
    @Test(arguments: [(996, 996), (nil, 1_000), (900, 1_000), (1_001, 1_000)] as [(Nanoseconds?, Nanoseconds)])
    func eventHasTimeOfFrame(utc: Nanoseconds?, expected: Nanoseconds) throws {
        var play = Play(try rules("[event first]\nzone=door\nevent=enter\n"))
        (play.wall, play.utc) = (1_000 * 1_000_000_000, utc.map { $0 * 1_000_000_000 })
        play.see("enter", in: "door", at: 1_000)
        #expect(play.events.map(\.time) == [expected * 1_000_000_000])
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

    /// The element lets a new track continue a lost track in its zone, without the events `leave` and `enter`.
    @Test func stayContinuesWithNewTrackingID() throws {
        var play = Play(try rules("[event stay]\nzone=door\ndwell=3\n"))
        play.see("enter", in: "door", at: 1_000)
        play.see([(7, 100)], at: 1_001)
        play.track("end", 7, at: 1_001.5)
        // Another object appears too far away.
        play.see([(3, 400)], at: 1_002)
        play.see([(3, 400), (8, 110)], at: 1_002.5)
        play.see([(3, 400), (8, 110)], at: 1_003.25)
        #expect(play.names == ["stay"])
        #expect(play.events.first?.id == 8 && play.events.first?.zone == "door")
        #expect(play.events.first?.dwell == 3_250_000_000)
        // The stay has caused its action, also for the next track.
        play.see([(9, 120)], at: 1_004)
        play.see([(9, 120)], at: 1_010)
        play.see("leave", in: "door", at: 1_011, id: 9)
        #expect(play.names == ["stay"])
    }

    @Test func endOfConnectionEndsStay() throws {
        var play = Play(try rules("[event stay]\nzone=door\ndwell=3\n"))
        play.see("enter", in: "door", at: 1_000)
        play.end("cam", isFile: false)
        play.see([(7, 100)], at: 1_004)
        #expect(play.names == [])
    }

    @Test func objectThatEntersItselfBeginsItsOwnStay() throws {
        var play = Play(try rules("[event stay]\nzone=door\ndwell=3\n"))
        play.see("enter", in: "door", at: 1_000)
        play.see([(7, 100)], at: 1_002)
        play.see("enter", in: "door", at: 1_002.5, id: 8)
        play.see([(8, 110)], at: 1_002.5)
        play.see([(8, 110)], at: 1_004)
        #expect(play.names == [])
        play.see("leave", in: "door", at: 1_004.5, past: 1.2)
        #expect(play.events.map(\.id) == [7])
    }

    @Test func returningObjectBeginsStayInView() throws {
        var play = Play(try rules("[event stay]\ndwell=3\n"))
        play.track("re-entered", 7, at: 1_000)
        play.see([(7, 100)], at: 1_002)
        #expect(play.names == [])
        play.see([(7, 100)], at: 1_003)
        #expect(play.names == ["stay"])
    }

    /// The ids of two objects are replaced by their earlier ids in the same frame, before and after their stays match.
    @Test(arguments: [(1_004.0, [1_004.0, 1_006]), (1_002, [1_003, 1_006])] as [(Double, [Double])])
    func stayInViewContinuesWithEarlierID(replaced: Double, results: [Double]) throws {
        var play = Play(try rules("[event stay]\ndwell=3\n"))
        play.track("begin", 8, from: 999, at: 1_000)
        play.track("begin", 9, from: 1_002, at: 1_002)
        if replaced > 1_003 { play.see([(8, 100), (9, 300)], at: 1_003) }
        play.track("end", 8, from: 999, reason: "reidentified", at: replaced)
        play.track("end", 9, from: 1_002, reason: "reidentified", at: replaced)
        play.track("re-entered", 2, from: 1_002, at: replaced)
        play.track("re-entered", 1, from: 999, at: replaced)
        for time in results { play.see([(1, 100), (2, 300)], at: time) }
        #expect(play.events.map(\.id) == [replaced > 1_003 ? 8 : 1, 2])
        #expect(play.events.first?.dwell == 3_000_000_000)
    }

    /// Their tracks have the same first detection.
    @Test func staysOfObjectsThatReturnTogetherContinue() throws {
        var play = Play(try rules("[event stay]\ndwell=3\n"))
        for id in [8, 9] as [UInt64] { play.track("begin", id, from: 1_000, at: 1_000) }
        for id in [8, 9] as [UInt64] { play.track("end", id, from: 1_000, reason: "reidentified", at: 1_002) }
        for id in [1, 2] as [UInt64] { play.track("re-entered", id, from: 1_000, at: 1_002) }
        play.see([(1, 100), (2, 300)], at: 1_003)
        #expect(play.events.map(\.dwell) == [3_000_000_000, 3_000_000_000])
    }

    /// The element continues the stay in its zone without the event `enter`.
    @Test func stayInZoneContinuesAfterQuickReturn() throws {
        var play = Play(try rules("[event stay]\nzone=door\ndwell=20\n"))
        play.see("enter", in: "door", at: 1_000)
        play.track("end", 7, at: 1_001)
        play.track("re-entered", 7, at: 1_002)
        play.track("end", 9, at: 1_013)
        play.see([(7, 100)], at: 1_020)
        #expect(play.events.map(\.id) == [7])
    }

    @Test(arguments: [("end", [7]), ("end,begin", [7]), ("end,re-entered", [8, 7, 7]), ("", [8, 7, 7])])
    func endOfReplacedIDNeedsEventThatFollows(events: String, ids: [UInt64]) throws {
        var play = Play(try rules("[event a]\nevent=\(events)\n"))
        play.track("end", 8, reason: "reidentified", at: 1_000)
        play.track("re-entered", 7, at: 1_000)
        play.track("end", 7, reason: "left-frame", at: 1_001)
        #expect(play.events.map(\.id) == ids)
    }

    /// With the gate, the messages of several frames arrive at the same time.
    @Test func stayIsMeasuredInRunningTime() throws {
        var play = Play(try rules("[event stay]\nzone=door\ndwell=3\n"))
        play.see("enter", in: "door", at: 1_000, late: 4)
        play.see([(7, 100)], at: 1_002.9, late: 1.1)
        #expect(play.names == [])
        play.see([(7, 100)], at: 1_003, late: 1)
        #expect(play.names == ["stay"])
    }

    /// The tracker decides the label of an object some time after its beginning.
    @Test func eventWaitsForLabel() throws {
        var play = Play(try rules("[event person]\nlabel=person\nzone=door\n[event car]\nlabel=car\n"))
        play.track("begin", 7, at: 1_000)
        play.see("enter", in: "door", at: 1_000)
        play.track("update", 8, label: "person", at: 1_001)
        play.track("update", 7, at: 1_001)
        #expect(play.names == [])
        play.track("update", 7, label: "person", at: 1_002)
        play.track("update", 7, label: "car", at: 1_003)
        #expect(play.names == ["person"])
        #expect(play.events.first?.event == "enter" && play.events.first?.label == "person")
        // The track ends, or the camera is lost, before the label is known.
        for isLost in [false, true] {
            play.track("begin", 9, at: 1_004)
            if isLost { play.end("cam", isFile: false) } else { play.track("end", 9, at: 1_005) }
            play.track("update", 9, label: "car", at: 1_006)
        }
        #expect(play.names == ["person"])
        play.track("begin", 9, at: 1_007)
        play.track("end", 9, label: "car", at: 1_008)
        #expect(play.names == ["person", "car", "car"], "begin and end")
    }

    @Test func numberOfEventsThatWaitForLabelIsLimited() throws {
        var play = Play(try rules("[event person]\nlabel=person\nevent=begin\n"))
        for id in 1...1_001 { play.track("begin", UInt64(id), at: 1_000) }
        for id in [1, 2, 1_001] { play.track("update", UInt64(id), label: "person", at: 1_001) }
        #expect(play.events.map(\.id) == [2, 1_001])
    }

    @Test func stayActsWhenCooldownEnds() throws {
        var play = Play(
            try rules(
                "[event stay]\nzone=door\ndwell=1\ncooldown=10\n[event yard]\nzone=yard\nafter=stay\nwithin=2\n"))
        play.see("enter", in: "door", at: 1_000)
        play.see([(7, 100)], at: 1_001)
        #expect(play.names == ["stay"])
        play.see("enter", in: "door", at: 1_002, id: 8)
        play.see([(7, 100), (8, 300)], at: 1_004)
        // The match permits the next rule, although the action waits for the end of the cooldown.
        play.see("enter", in: "yard", at: 1_005, id: 9)
        #expect(play.names == ["stay", "yard"])
        for time in [1_010.9, 1_011, 1_030] { play.see([(7, 100), (8, 300)], at: time) }
        #expect(play.names == ["stay", "yard", "stay"])
        #expect(play.events.last?.id == 8)
    }

    @Test func timesMayHaveSpacesAroundComma() throws {
        let times = try rules("[event night]\ntimes=22:00-06:00 , 12:00-13:00\n")[0].times
        #expect(times.map(\.begin) == [1_320, 720] && times.map(\.end) == [360, 780])
    }

    @Test func countActsWhenTimeOfDayBegins() throws {
        var (seconds, local) = (time_t(0), tm())
        localtime_r(&seconds, &local)
        let (begin, end) = ((local.tm_hour + 1) % 24, (local.tm_hour + 2) % 24)
        var play = Play(try rules("[event two]\ncount=2\ntimes=\(begin):00-\(end):00\n"))
        play.see([(7, 100), (8, 300)], at: 1_000)
        #expect(play.names == [])
        play.wall = 3_600_000_000_000
        for time in [1_001.0, 1_002] { play.see([(7, 100), (8, 300)], at: time) }
        #expect(play.names == ["two"])
    }

    /// The `leave` event of a missed object arrives later than newer events. Without a cooldown it is still an event.
    @Test func eventThatIsReportedLateActs() throws {
        var play = Play(try rules("[event door]\nzone=door\n"))
        play.see("enter", in: "door", at: 1_001, id: 8)
        play.see("leave", in: "door", at: 1_002, past: 2)
        #expect(play.names == ["door", "door"])
    }

    @Test func reloadKeepsStateOfUnchangedRules() throws {
        let text = "[event stay]\nzone=door\ndwell=3\n[event two]\ncount=2\n"
        for (isChanged, names) in [(false, ["two", "stay"]), (true, ["two", "two"])] {
            var play = Play(try rules(text))
            play.see("enter", in: "door", at: 1_000)
            play.see([(7, 100), (8, 300)], at: 1_001)
            let changed = text.replacing("dwell=3", with: "dwell=3.5").replacing("count=2", with: "count=2\nlabel=")
            play.matcher.use(try rules(isChanged ? changed : text))
            play.see([(7, 100), (8, 300)], at: 1_004)
            #expect(play.names == names)
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

    /// Returns the error about a rule of a camera with an area, an area with `min-time` and a line.
    private func problem(
        of rule: String, settings: [String] = [], alarms values: [String: String] = [:]
    ) throws -> String? {
        var plan = CameraPlan(name: "cam", source: "rtsp://127.0.0.1/a")
        let zones = [
            #"{"name":"floor","points":[[0,0],[1,0],[1,1]]}"#,
            #"{"name":"bench","points":[[0,0],[1,0],[1,1]],"min-time":9}"#,
            #"{"name":"line","kind":"line","points":[[0,0],[1,1]]}"#,
        ]
        plan.settings = (["zones=[\(zones.joined(separator: ","))]"] + settings).map { CameraSetting($0) }
        let line = try CommandLineOptions(
            values.flatMap { ["--\($0.key)", $0.value] }, valued: ["--picture-alarm", "--quiet-alarm"], flags: [])
        do {
            try EventRule.check(
                try rules("[event a]\n\(rule)\n"), cameras: [plan], savesClips: false,
                alarms: AlarmOptions(WatchOptions(line, [])))
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(
        arguments: [
            ("zone=floor\nevent=begin,end", "event=begin has no zone, so the rule can never match: leave out zone="),
            ("zone=floor\nevent=covered,in", "event=covered has no zone"),
            ("zone=floor\nevent=lost", "event=lost has no zone"),
            ("zone=line\nevent=enter", "zone=line has no area"), ("zone=floor\ndwell=2\nlabel=x", nil),
            ("zone=floor\nevent=begin,enter", nil), ("label=dog\nevent=end", nil),
            ("zone=floor\nevent=re-entered", "event=re-entered has no zone"),
            ("zone=floor\nevent=dwell", "event=dwell needs a zone with min-time"),
            ("zone=floor,bench\nevent=dwell", nil), ("event=dwell", nil),
            ("event=count", "unknown event 'count': use count=N"),
            ("label=dog\nevent=lost", "event=lost has no label"), ("label=dog\nevent=lost,begin", nil),
            ("event=quiet", "quiet-alarm is off"), ("event=quiet,covered,restored", nil),
        ] as [(String, String?)])
    func ruleThatCannotMatchIsRefused(_ rule: String, _ text: String?) throws {
        let error = try problem(of: rule)
        #expect((error == nil) == (text == nil) && error?.contains(text ?? "") != false, "\(error ?? "accepted")")
    }

    /// With re-identification, a person who returns has the event `re-entered` instead of `begin`.
    @Test func clipsAreSavedOfReturns() throws {
        var play = Play([.clips])
        play.track("re-entered", 3, at: 600)
        #expect(play.names == ["--clips"] && play.events.first?.dwell == nil)
    }

    /// No clip of an event without a frame can be saved, so the event begins no cooldown.
    @Test(arguments: [(true, ["begin", "ended"]), (false, ["begin", "begin"])])
    func endOfSourceBeginsNoCooldownOfClips(_ hasAction: Bool, _ events: [String]) throws {
        var rules = try rules("[event a]\nclip=true\ncooldown=60\n")
        if !hasAction { rules[0].action = nil }
        var play = Play(rules)
        play.track("begin", 3, at: 600)
        play.end("cam", isFile: false)
        play.track("begin", 4, at: 2_030)
        #expect(play.events.map(\.event) == events)
    }

    @Test func ruleForAlarmThatIsOffIsRefused() throws {
        for event in ["moved", "restored"] {
            #expect(try problem(of: "event=\(event)", alarms: ["picture-alarm": "off"])?.contains("is off, so") == true)
        }
        #expect(try problem(of: "event=quiet,restored", alarms: ["picture-alarm": "off", "quiet-alarm": "4"]) == nil)
    }

    /// Rules with the same name would share their cooldown.
    @Test func nameOfRuleOfCommandLineIsRefused() throws {
        let rules = try rules("[event on-event]\nevent=begin\n") + [EventRule(commandLine: "true")]
        #expect(throws: PlaybackError.self) { try EventRule.check(rules, cameras: [], savesClips: false) }
        #expect(throws: Never.self) { try EventRule.check([rules[1]], cameras: [], savesClips: false) }
    }

    /// Without results that have no objects, a count would be reached only once.
    @Test func countWithoutAllResultsIsRefused() throws {
        for updates in ["on-object", "none"] {
            #expect(
                try problem(of: "count=2", settings: ["updates=\(updates)"])?.contains("leave out updates=") == true)
        }
        #expect(try problem(of: "count=2", settings: ["updates=on-change"]) == nil)
    }

    @Test(
        arguments: [
            ("event=re-entered", [], "reidentify is off"), ("event=re-entered", ["reidentify=true"], nil),
            ("event=re-entered,begin", [], nil), ("event=begin,end", ["track-events=no"], "track-events is off"),
            ("event=re-entered", ["reidentify=1", "track-events=false"], "track-events is off"),
            ("dwell=2", ["track-events=false"], "track-events is off"),
            ("zone=floor\ndwell=2", ["track-events=false"], nil), ("event=enter", ["track-events=false"], nil),
            ("zone=floor\ndwell=2", ["tracking=false"], "tracking is off"),
            ("event=cross,begin", ["mode=single-image"], "tracking is off"),
            ("event=cross,lost", ["tracking=False"], nil), ("count=2\ndwell=1", ["tracking=false"], nil),
            ("zone=floor\ncount=2", ["tracking=false"], nil), ("event=end", ["tracking=false", "tracking=true"], nil),
        ] as [(String, [String], String?)])
    func ruleForEventsThatAreNotPostedIsRefused(_ rule: String, _ settings: [String], _ text: String?) throws {
        let error = try problem(of: rule, settings: settings)
        #expect((error == nil) == (text == nil) && error?.contains(text ?? "") != false, "\(error ?? "accepted")")
    }

    @Test func ruleForExcludedLabelIsRefused() throws {
        func problem(_ rule: String, _ settings: String...) throws -> String? {
            try self.problem(of: rule, settings: settings)
        }
        let text = try problem("label=persn", "label-allowlist=Person, car")
        #expect(text?.contains("has label=persn, so the rule can never match: did you mean 'person'?") == true)
        #expect(try problem("label=dog", "label-allowlist=@people")?.contains("use person") == true)
        #expect(try problem("label=dog,car", "label-allowlist=person,car") == nil)
        #expect(try problem("label=dog", "label-allowlist=@farm") == nil)
        #expect(try problem("label=dog", "label-allowlist=car", "label-allowlist=") == nil)
        #expect(try problem("label=dog") == nil)
    }

    @Test func labelThatNoNetworkHasCausesWarning() throws {
        let folder = try TemporaryFolder()
        let settings = [
            "model-file=\(try folder.write("m.onnx", "x"))",
            "label-file=\(try folder.write("labels.txt", "Person\nbicycle\n"))",
        ]
        func warnings(_ label: String, _ words: [String]) throws -> [String] {
            var plan = CameraPlan(name: "cam", source: "rtsp://127.0.0.1/a")
            plan.settings = words.map { CameraSetting($0) }
            return EventRule.warnings(about: try rules("[event a]\nlabel=\(label)\n"), cameras: [plan])
        }
        let texts = try warnings("bicycle,persn", settings)
        #expect(texts.count == 1)
        #expect(texts.first?.contains("watch.conf:1: the network has no label 'persn'") == true, "\(texts)")
        #expect(texts.first?.hasSuffix(": did you mean 'person'?") == true)
        #expect(try warnings("person", settings) == [])
        #expect(try warnings("persn", settings + ["detector=motion"]) == [])
    }
}
