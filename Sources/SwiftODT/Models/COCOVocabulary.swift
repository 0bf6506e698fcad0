/// The object classes of COCO, which most detection networks are trained on.
enum COCOVocabulary {
    /// The 80 classes in the order used by networks with 80 outputs.
    static let names = byCategory.filter { !$0.isEmpty }

    /// The classes indexed by COCO category number minus 1, as used by networks with 90 outputs. Ten indices are unused
    /// and have empty names.
    static let namesByPaperIndex = byCategory

    private static let byCategory: [String] = [
        "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
        "fire hydrant", "", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep",
        "cow", "elephant", "bear", "zebra", "giraffe", "", "backpack", "umbrella", "", "",
        "handbag", "tie", "suitcase", "frisbee", "skis", "snowboard", "sports ball", "kite", "baseball bat",
        "baseball glove",
        "skateboard", "surfboard", "tennis racket", "bottle", "", "wine glass", "cup", "fork", "knife", "spoon",
        "bowl", "banana", "apple", "sandwich", "orange", "broccoli", "carrot", "hot dog", "pizza", "donut",
        "cake", "chair", "couch", "potted plant", "bed", "", "dining table", "", "", "toilet",
        "", "tv", "laptop", "mouse", "remote", "keyboard", "cell phone", "microwave", "oven", "toaster",
        "sink", "refrigerator", "", "book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush",
    ]
}
