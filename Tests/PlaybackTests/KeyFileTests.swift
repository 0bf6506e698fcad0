import Playback
import Testing

@Suite("Key files")
struct KeyFileTests {
    @Test func groupsAndKeysHaveLineNumbers() throws {
        let file = try KeyFile(
            "# cameras\n\n[camera front]\r\n  source = rtsp://a/b?c=d  \nname=a\\sb\\\\\n[watch]\nquiet=true\n[empty]",
            name: "watch.conf")
        #expect(file.groups.map(\.name) == ["camera front", "watch", "empty"])
        let entries = file.groups.flatMap(\.entries)
        #expect(entries.map(\.key) == ["source", "name", "quiet"])
        #expect(entries.map(\.value) == ["rtsp://a/b?c=d", "a b\\", "true"])
        #expect(entries.map(\.place) == ["watch.conf:4", "watch.conf:5", "watch.conf:7"])
    }

    /// GLib takes the last of two keys, and says of no mistake where it is.
    @Test(arguments: [
        ("a=1", "x:1: 'a' stands before"), ("[a]\nb", "x:2: 'b' is neither"), ("[a]\n\n=1", "x:3: '=1' is neither"),
        ("[a\n", "x:1: a group"), ("[]", "x:1: a group"), ("[a]]", "x:1: a group"),
        ("[a]\nb=1\nb=2", "x:3: b is there already, at x:2"),
        ("[a]\n[b]\n[a]", "x:3: [a] is there already, at x:1"), ("[a]\nb=\\q", "x:2: the value of b"),
        ("[a] # b", "x:1: a group"),
    ])
    func errorsNameTheirLine(text: String, sentence: String) {
        do {
            _ = try KeyFile(text, name: "x")
            Issue.record("\(text) is taken")
        } catch { #expect("\(error)".hasPrefix(sentence), "\(error)") }
    }
}
