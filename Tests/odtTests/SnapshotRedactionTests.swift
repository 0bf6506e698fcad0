import Testing

@testable import odt

@Suite("SnapshotRedaction")
struct SnapshotRedactionTests {
    private var snapshots = SnapshotRedaction()
    private let none = RedactionFilter(properties: nil)
    private let blurred = RedactionFilter(properties: "box-style=blur")

    @Test mutating func picturesOfEarlierRunAreRemovedWithRedaction() {
        #expect(snapshots.use(["yard": none, "gate": blurred]) == ["gate"])
        #expect(snapshots.use(["yard": none, "gate": blurred]) == [])
    }

    @Test mutating func picturesAreRemovedAndRefusedAfterChange() {
        _ = snapshots.use(["yard": none])
        #expect(snapshots.permits(none, of: "yard"))
        #expect(snapshots.use(["yard": blurred]) == ["yard"])
        // The connection with the earlier properties may not have ended yet.
        #expect(!snapshots.permits(none, of: "yard"))
        #expect(snapshots.permits(blurred, of: "yard"))
        // If the properties cannot be evaluated, they may request redaction.
        #expect(snapshots.use(["yard": nil]) == ["yard"])
        #expect(!snapshots.permits(nil, of: "yard"))
    }

    @Test mutating func removedCameraHasNoPictures() {
        _ = snapshots.use(["yard": none, "gate": none])
        #expect(snapshots.use(["yard": none]) == [])
        #expect(!snapshots.permits(none, of: "gate"))
    }
}
