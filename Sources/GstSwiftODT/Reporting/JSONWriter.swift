import SwiftODT

/// Writes a message as one line of JSON: the name of the message, followed by its fields in their order. Unknown values
/// are `null`.
enum JSONWriter {
    static func text(of report: Report) -> String {
        var text = "{\"message\":\"swiftodt\","
        append(report.fields, to: &text)
        text += ",\"objects\":["
        append(report.objects.lazy.map(\.fields), to: &text)
        return text + "]}"
    }

    static func text(of event: EventReport) -> String {
        var text = "{\"message\":\"\(event.message)\","
        append(event.fields, to: &text)
        return text + "}"
    }

    private static func append(_ objects: some Sequence<[(name: String, value: FieldValue)]>, to text: inout String) {
        var isFirst = true
        for fields in objects {
            text += isFirst ? "{" : ",{"
            isFirst = false
            append(fields, to: &text)
            text += "}"
        }
    }

    private static func append(_ fields: [(name: String, value: FieldValue)], to text: inout String) {
        for (index, field) in fields.enumerated() {
            text += index == 0 ? "\"" : ",\""
            text += field.name
            text += "\":"
            append(field.value, to: &text)
        }
    }

    private static func append(_ value: FieldValue, to text: inout String) {
        switch value {
        case .uint(let number): text += String(number)
        case .int(let number): text += String(number)
        case .uint64(let number): text += String(number)
        case .time(let number): text += number == .max ? "null" : String(number)
        case .real(let number): text += number.isFinite ? number.description : "null"
        case .boolean(let flag): text += flag ? "true" : "false"
        case .text(let string): text += JSONValue.quoted(string)
        case .list(_, let entries):
            text += "["
            append(entries, to: &text)
            text += "]"
        case .structure(let fields):
            text += "{"
            append(fields, to: &text)
            text += "}"
        }
    }
}
