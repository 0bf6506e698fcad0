import Testing

@testable import SwiftODT

/// Tests the filter by allowlist, denylist and area.
struct DetectionFilterTests {
    private func keeps(
        _ filter: DetectionFilter, x: Double = 10, y: Double = 10, side: Double = 10, score: Double = 0.5,
        label: String? = nil
    ) -> Bool {
        let detection = Detection(
            box: Box(x: x, y: y, width: side, height: side), score: score,
            label: label.map { Label(index: 0, text: $0) })
        return filter.judge(detection, width: 100, height: 100) == .kept
    }

    @Test func commaAfterBackslashIsPartOfLabel() {
        #expect(DetectionFilter.labels(in: #" Tench\, Tinca tinca, ,cup "#) == ["tench, tinca tinca", "cup"])
        let items = ["a,b", "c", ",d,", #"e\"#, #"\,f"#, #"g\h"#]
        #expect(DetectionFilter.items(in: DetectionFilter.list(of: items)) == items)
        #expect(DetectionFilter.items(in: #"a\b,c\"#) == [#"a\b"#, #"c\"#])
    }

    @Test func defaultFilterKeepsAll() {
        #expect(keeps(DetectionFilter()))
        #expect(keeps(DetectionFilter(), label: "person"))
        #expect(keeps(DetectionFilter(), x: 0, y: 0, side: 100))
    }

    @Test func invalidDetectionsAreDropped() {
        #expect(!keeps(DetectionFilter(), x: .nan))
        #expect(!keeps(DetectionFilter(), side: .infinity))
        #expect(!keeps(DetectionFilter(), side: 0))
        #expect(!keeps(DetectionFilter(), score: .nan))
        #expect(!keeps(DetectionFilter(), x: 100))
        #expect(!keeps(DetectionFilter(), y: -10))
        #expect(keeps(DetectionFilter(), x: 99.5))
    }

    /// The limits are inclusive.
    @Test func areaLimitsUseVisibleArea() {
        var filter = DetectionFilter()
        filter.minArea = 0.01
        #expect(keeps(filter))
        #expect(!keeps(filter, side: 9.9))
        #expect(!keeps(filter, x: 95))
        filter.minArea = 0
        filter.maxArea = 0.01
        #expect(keeps(filter))
        #expect(!keeps(filter, side: 10.1))
        #expect(keeps(filter, x: -5, y: -5, side: 15))
    }

    @Test func allowlistKeepsListedLabels() {
        var filter = DetectionFilter()
        filter.allowlist = ["person", "dog"]
        #expect(keeps(filter, label: "Person"))
        #expect(!keeps(filter, label: "cat"))
        #expect(keeps(filter), "unlabelled detections pass the allowlist")
    }

    @Test func denylistOverridesAllowlist() {
        var filter = DetectionFilter()
        filter.denylist = ["person"]
        #expect(!keeps(filter, label: "PERSON"))
        #expect(keeps(filter, label: "cat"))
        filter.allowlist = ["person", "cat"]
        #expect(!keeps(filter, label: "person"))
        #expect(keeps(filter, label: "cat"))
    }

    @Test func labelGroupExpandsToItsLabels() {
        let farm = ["farm": Set(["cow", "sheep"])]
        #expect(LabelGroups.expand(["@farm", "dog"], groups: farm) == ["cow", "sheep", "dog"])
        #expect(LabelGroups.expand(["@fram", "dog"], groups: farm) == ["@fram", "dog"], "an unknown group stays")
        let coco = Set(Labels.vocabulary("coco80")?.all.map(\.text) ?? [])
        for (group, labels) in LabelGroups.standard {
            #expect(!labels.isEmpty && labels.isSubset(of: coco), "\(group): \(labels.subtracting(coco))")
        }
    }

    @Test func listsIgnoreSpacesAndEmptyEntries() {
        #expect(DetectionFilter.labels(in: " Person ,traffic light,, dog\t") == ["person", "traffic light", "dog"])
        #expect(DetectionFilter.labels(in: "") == [])
        #expect(DetectionFilter.labels(in: " , ") == [])
    }
}
