/// Rows with four box values, the objectness, and one score per class.
struct ObjectnessRows {
    private let scores: ScoreRows

    init?(_ values: UnsafeBufferPointer<Float>, classCount: Int, extraCount: Int = 0) {
        guard let rows = ScoreRows(values, stride: 5 + classCount + extraCount, firstClass: 5, classCount: classCount)
        else { return nil }
        scores = rows
    }

    var count: Int { scores.count }

    /// Calls `body` for each row whose objectness times best class score reaches `floor`. The objectness alone rejects
    /// most rows.
    func forEachBest(
        from floor: Float, _ body: (_ row: Int, _ index: Int, _ score: Float, _ box: UnsafePointer<Float>) -> Void
    ) {
        guard let base = scores.values.baseAddress else { return }
        for row in 0..<scores.count {
            let box = base + row * scores.stride
            let objectness = box[4]
            guard objectness >= floor, let (index, value) = scores.best(inRow: row, from: floor / objectness) else {
                continue
            }
            body(row, index, objectness * value, box)
        }
    }
}
