/// Named sets of COCO's labels for the label lists, such as `@street`.
package enum LabelGroups {
    /// Marks the name of a group in a list of labels.
    package static let mark: Character = "@"

    /// The built-in groups: lower-case labels by the name of the group, without the mark.
    package static let standard: [String: Set<String>] = [
        "people": ["person"],
        "street": ["person", "bicycle", "car", "motorcycle", "bus", "train", "truck", "traffic light", "stop sign"],
        "animals": ["bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe"],
        "home": [
            "chair", "couch", "potted plant", "bed", "dining table", "toilet", "tv", "laptop", "mouse", "remote",
            "keyboard", "cell phone", "microwave", "oven", "toaster", "sink", "refrigerator", "book", "clock", "vase",
            "scissors", "teddy bear", "hair drier", "toothbrush", "bottle", "wine glass", "cup", "fork", "knife",
            "spoon", "bowl", "cat", "dog",
        ],
    ]

    /// Replaces the names of known groups by their labels. Names of unknown groups stay.
    package static func expand(_ labels: Set<String>, groups: [String: Set<String>] = standard) -> Set<String> {
        guard labels.contains(where: { $0.first == mark }) else { return labels }
        return labels.reduce(into: []) { all, label in
            guard label.first == mark, let group = groups[String(label.dropFirst())] else {
                return _ = all.insert(label)
            }
            all.formUnion(group)
        }
    }
}
