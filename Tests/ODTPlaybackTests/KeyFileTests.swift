import ODTPlayback
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

    @Test(arguments: ["[a]\nb=1", "# comment\n[a]\nb=1", "\r\n[a]\r\nb=1"])
    func byteOrderMarkIsIgnored(text: String) throws {
        #expect(try KeyFile("\u{FEFF}" + text, name: "x").groups.map(\.name) == ["a"])
    }

    /// GLib would keep the last of two equal keys and report no line numbers.
    @Test(arguments: [
        ("a=1", "x:1: 'a' is outside"), ("[a]\nb", "x:2: 'b' is not a [group]"),
        ("[a]\n\n=1", "x:3: '=1' is not a [group]"),
        ("[a\n", "x:1: expected a group"), ("[]", "x:1: expected a group"), ("[a]]", "x:1: expected a group"),
        ("[a]\nb=1\nb=2", "x:3: b is already set at x:2"),
        ("[a]\n[b]\n[a]", "x:3: [a] is already defined at x:1"), ("[a]\nb=\\q", "x:2: invalid value of b: write"),
        ("[a]\nb=1 \\\n  2", "x:2: invalid value of b: write"),
        ("[a] # b", "x:1: expected a group"),
    ])
    func errorsNameTheirLine(text: String, sentence: String) {
        do {
            _ = try KeyFile(text, name: "x")
            Issue.record("\(text) is accepted")
        } catch { #expect("\(error)".hasPrefix(sentence), "\(error)") }
    }
}
