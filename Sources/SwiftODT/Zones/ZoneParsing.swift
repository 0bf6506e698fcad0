extension Zone {
    /// The maximum numbers of zones, and of points of one zone. They bound the cost per frame.
    private static let maximumZones = 256
    private static let maximumPoints = 256

    /// Parses zones from a JSON text or a JSON file. The JSON value is an array of zones, or an object with this array
    /// as the value of `zones`.
    ///
    ///     [{"name": "door", "kind": "line", "points": [[0.2, 0.9], [0.8, 0.9]], "labels": ["person"]}]
    ///
    /// - Parameter name: the JSON text if the first character is `[` or `{`, otherwise the path of a file.
    /// - Throws: ``ODTError`` that names the zone and the problem.
    package static func list(named name: String) throws -> [Zone] {
        let isText = name.first { !$0.isWhitespace }.map { $0 == "[" || $0 == "{" } ?? false
        return isText
            ? try list(parsing: name.utf8, file: "zones")
            : try list(parsing: FileBytes.read(name, limit: 4 << 20), file: name)
    }

    /// Parses zones from JSON. Errors name `file` as the source.
    static func list(parsing text: some Collection<UInt8>, file: String) throws -> [Zone] {
        let root: JSONValue
        do {
            root = try JSONValue(parsing: text)
        } catch {
            throw ODTError(.invalidFile, "\(file) is not valid JSON: \(error)")
        }
        guard let entries = root.array ?? root["zones"]?.array else {
            throw ODTError(.invalidFile, "\(file): expected a list of zones such as \(example)")
        }
        guard entries.count <= maximumZones else {
            throw ODTError(.invalidFile, "\(file): \(entries.count) zones exceed the maximum of \(maximumZones)")
        }
        let zones = try entries.enumerated().map { index, entry in
            try ZoneEntry(entry, place: "\(file): zone \(index + 1)").zone(maximumPoints: maximumPoints)
        }
        for (index, zone) in zones.enumerated() where zones[..<index].contains(where: { $0.name == zone.name }) {
            throw ODTError(.invalidFile, "\(file): two zones have the name \"\(zone.name)\"; rename one of them")
        }
        return zones
    }

    fileprivate static let example =
        #"[{"name": "door", "kind": "line", "points": [[0.2, 0.9], [0.8, 0.9]]}]"#
}

/// Parses one zone. An unknown key is an error, because it is probably misspelled.
private struct ZoneEntry {
    private static let keys: Set = ["name", "kind", "points", "labels", "anchor", "min-time"]

    private let members: [String: JSONValue]
    private let place: String

    init(_ value: JSONValue, place: String) throws {
        guard case .object(let members) = value else {
            throw ODTError(.invalidFile, "\(place) must be an object such as \(Zone.example.dropFirst().dropLast())")
        }
        self.members = members.filter { $0.value != .null }
        self.place = members["name"]?.string.map { "\(place) (\"\($0)\")" } ?? place
    }

    func zone(maximumPoints: Int) throws -> Zone {
        if let unknown = members.keys.filter({ !Self.keys.contains($0) }).min() {
            throw error("unknown key \"\(unknown)\"; valid keys are " + Self.keys.sorted().joined(separator: ", "))
        }
        guard let name = members["name"]?.string, !name.isEmpty else { throw error("\"name\" is missing") }
        let kind = try choice("kind", Zone.Kind.area)
        return Zone(
            name, kind, try points(of: kind, maximum: maximumPoints), labels: try labels(),
            anchor: members["anchor"] == nil ? nil : try choice("anchor", Zone.Anchor.bottom),
            minTime: try minTime(of: kind))
    }

    private func error(_ problem: String) -> ODTError { ODTError(.invalidFile, "\(place): \(problem)") }

    private func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ standard: Choice
    ) throws -> Choice {
        guard let value = members[key] else { return standard }
        guard let choice = value.string.flatMap(Choice.init(rawValue:)) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("\"\(key)\" must be one of \(choices)")
        }
        return choice
    }

    private func points(of kind: Zone.Kind, maximum: Int) throws -> [Zone.Point] {
        let minimum = kind == .line ? 2 : 3
        let points = try (members["points"]?.array ?? []).map { value in
            guard let pair = value.array, pair.count == 2, let x = pair[0].number, let y = pair[1].number else {
                throw error("each of its \"points\" must be a pair of numbers, [x, y]")
            }
            guard (0...1).contains(x), (0...1).contains(y) else {
                throw error("the point [\(x), \(y)] is outside the picture; use fractions from 0 to 1")
            }
            return Zone.Point(x, y)
        }
        guard points.count >= minimum, points.count <= maximum else {
            throw error(
                "it has \(points.count) \"points\"; "
                    + (points.count > maximum
                        ? "the maximum is \(maximum)" : "a \(kind.rawValue) needs at least \(minimum)"))
        }
        guard Set(points).count >= minimum else { throw error("it has fewer than \(minimum) different points") }
        return points
    }

    private func labels() throws -> Set<String> {
        guard let value = members["labels"] else { return [] }
        let labels = value.array?.compactMap(\.string) ?? []
        guard !labels.isEmpty, labels.count == value.array?.count else {
            throw error("\"labels\" must be a list of names; omit it to count all objects")
        }
        if let group = labels.first(where: { $0.first == LabelGroups.mark }) {
            throw error("\"\(group)\" is a label group: name the labels of the group instead")
        }
        return Set(labels)
    }

    /// Returns the value of `min-time`, which is in seconds in the JSON text.
    private func minTime(of kind: Zone.Kind) throws -> Nanoseconds? {
        guard let value = members["min-time"] else { return nil }
        guard kind == .area else { throw error("\"min-time\" does not apply to a \(kind.rawValue)") }
        guard let seconds = value.number, seconds > 0, seconds <= 1e6 else {
            throw error("\"min-time\" must be a number of seconds, above 0 and up to 1000000")
        }
        return Nanoseconds(seconds * 1e9)
    }
}
