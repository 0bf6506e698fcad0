import ODTPlayback
import Testing

@testable import odt

@Suite("CameraPlan")
struct CameraPlanTests {
    private static let query = "http://cam/video.cgi?user=admin&pwd=secret"
    private static let path = "rtsp://cam:554/user=admin&password=secret&channel=1&stream=0.sdp?real_stream"

    @Test(arguments: [
        (
            query, "Not Found (404), URL: \(query), Redirect to: (NULL)",
            "Not Found (404), URL: http://cam/video.cgi, Redirect to: (NULL)"
        ),
        (query, "moved to https://cam/v?token=1#a: failed", "moved to https://cam/v: failed"),
        (query, "bad query 'user=admin&pwd=secret'", "bad query ''"),
        ("http://cam/v?pwd=se%20cret", "URL: http://cam/v?pwd=se cret, more", "URL: http://cam/v, more"),
        ("http://cam/v?user=me@x.org&pwd=secret", "http://cam/v?user=me@x.org&pwd=secret", "http://cam/v"),
        ("http://cam/v?1", "http://cam/v?1: retry in 1 s", "http://cam/v: retry in 1 s"),
        (path, "cannot open \(path)", "cannot open rtsp://cam:554"),
        ("rtsp://cam/a/b%3Dc/d", "no rtsp://cam/a/b%3Dc/d, rtsp://cam/a/b=c/d", "no rtsp://cam/a/d, rtsp://cam/a/d"),
        ("rtsp://me:pass@cam:554/live", "rtsp://me:pass@cam:554/live: no\nroute", "rtsp://cam:554/live: no route"),
        ("rtsp://me:pa%40ss@[::1]:554/live", "as me:pa@ss@: rtsp://[::1]:554/live", "as : rtsp://[::1]:554/live"),
        ("rtsp://me:pa/ss@cam/live", "cannot open rtsp://me:pa/ss@cam/live", "cannot open rtsp://..."),
        ("rtsp://me:12/34@cam/live", "cannot open rtsp://me:12/34@cam/live", "cannot open rtsp://..."),
        ("/dev/video0", "http://cam/?a=b", "http://cam/?a=b"),
    ])
    func secretsOfURIsAreRemoved(_ source: String, _ text: String, _ expected: String) {
        #expect(CameraPlan(name: "cam", source: source).discreet(text) == expected)
    }

    @Test(arguments: [
        ("http://me:pass@cam.local:80/video.cgi?pwd=secret", "cam.local"), ("http://cam?user=a@b/c", "cam"),
        ("rtsp://[::1]/live", "camera"), ("file:///srv/a.mp4", "a"), ("/srv/front door.mp4", "front-door"),
        ("/dev/video0", "video0"),
    ])
    func nameIsHostOrFile(_ source: String, _ name: String) {
        #expect(CameraPlan.derivedName(of: source) == name)
    }

    @Test(arguments: [
        ("rtsp://cam/live", ["record-detections=a.jsonl"], false),
        ("/dev/video0", ["record-detections=a.jsonl"], false),
        ("rtsp://cam/live", ["record-detections=a.jsonl", "record-existing=resume"], false),
        ("rtsp://cam/live", ["record-detections=a.jsonl", "record-existing=replace"], true),
        ("rtsp://cam/live", ["record-detections=a.jsonl", "record-detections="], true), ("rtsp://cam/live", [], true),
        ("/srv/a.mp4", ["record-detections=a.jsonl"], true), ("file:///srv/a.mp4", ["record-detections=a.jsonl"], true),
    ])
    func recordedDetectionsOfCameraAreReplaced(_ source: String, _ words: [String], _ isValid: Bool) {
        var plan = CameraPlan(name: "cam", source: source)
        plan.settings = words.map { CameraSetting($0) }
        if isValid {
            #expect(throws: Never.self) { try plan.checkRecordedDetections() }
        } else {
            #expect(throws: PlaybackError.self) { try plan.checkRecordedDetections() }
        }
    }
}
