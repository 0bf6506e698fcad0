import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests the JSON parser: valid JSON is parsed as the standard specifies, invalid JSON is rejected, and nothing
/// crashes.
@Suite struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: text.utf8) }

    @Test func everyValueTypeIsParsed() throws {
        let value = try parse(
            #" { "a": [1, -2.5e2, 0, true, false, null], "b": {"c": "d"}, "e": [], "f": {} } "#)
        #expect(value["a"] == .array([.number(1), .number(-250), .number(0), .bool(true), .bool(false), .null]))
        #expect(value["b"]?["c"]?.string == "d")
        #expect(value["e"] == .array([]))
        #expect(value["f"] == .object([:]))
    }

    @Test func escapesAndUnicodeAreParsed() throws {
        #expect(try parse(#""\"\\\/\b\f\n\r\té😀ü""#).string == "\"\\/\u{8}\u{C}\n\r\té😀ü")
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\"", "{\"a\":", "{\"a\":1,}", "{a:1}", "'a'", "tru", "nul", "01",
        "-", "+1", ".5",
        "1.", "1.e2", "1e", "NaN", "Infinity", "0x10", "1e999", "\"", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "1 2", "[1] ]", "{} x", "--1", "1-1", "1e5e5",
    ])
    func invalidJSONIsRejected(text: String) {
        #expect(throws: JSONValue.SyntaxError.self) { try parse(text) }
    }

    @Test func deepNestingIsRejected() {
        #expect(throws: JSONValue.SyntaxError.self) { try parse(String(repeating: "[", count: 1_000_000)) }
        #expect(throws: Never.self) { try parse(String(repeating: "[", count: 60) + String(repeating: "]", count: 60)) }
    }

    /// Written JSON is parsed to the same value. Only non-finite numbers change, because JSON has no form for them.
    @Test func valuesRoundTrip() throws {
        let text = #"{"a":[1,-2.5,1e-07,12345678901,null,true,false],"b":{},"c":"\"\\\n\u0001é😀","d":[]}"#
        #expect(try parse(text).text == text)
        #expect(JSONValue.array([.number(.nan), .number(-.infinity)]).text == "[null,null]")
    }

    /// Parsed numbers are bit-identical, so that played recordings equal the recorded detections.
    @Test func numbersParseAsInSwift() throws {
        var random = SeededGenerator(seed: 3)
        var texts = [
            "-0", "0.1", "9007199254740992", "9007199254740993", "90071992547409.93", "18446744073709551616", "-1e-7",
        ]
        texts += [20, 21, 22, 30].map { "0." + String(repeating: "0", count: $0) + "1" }
        for _ in 0..<5000 {
            let number = Double.random(in: -2000...2000, using: &random)
            texts += [number.description, Double(Float(number)).description, Double(Float(number / 2000)).description]
            texts.append((Double(Int(number * 1000)) / 1000).description)
        }
        for text in texts { #expect(try parse(text).number?.bitPattern == Double(text)?.bitPattern, "\(text)") }
    }

    @Test func errorNamesItsLine() {
        #expect {
            try parse("{\n\"a\": 1\n\"b\": 2\n}")
        } throws: {
            "\($0)".contains("line 3")
        }
    }

    @Test func damagedTextIsSurvived() throws {
        var random = SeededGenerator(seed: 1)
        let sound = Array(
            #"{"name": "a\u00e9", "input": {"width": 300, "mean": [1, 2.5, -3e2]}, "labels": ["x", "y"]}"#.utf8)
        var refused = 0
        for _ in 0..<3000 {
            do { _ = try JSONValue(parsing: random.damage(sound)) } catch { refused += 1 }
        }
        #expect(refused > 2000)
    }
}
