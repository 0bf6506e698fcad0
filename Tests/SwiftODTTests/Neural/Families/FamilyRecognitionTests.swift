import Testing

@testable import SwiftODT

/// Verifies how families are recognised, which input they use, and that an unsupported network is rejected with a
/// helpful error.
@Suite struct FamilyRecognitionTests {
    private func network(_ input: [Int?], _ outputs: [[Int?]], element: TensorElement = .float32) -> NetworkDescription
    {
        NetworkDescription(
            inputs: [TensorDescription(name: "x", shape: input, element: element)],
            outputs: outputs.map { TensorDescription(name: "", shape: $0, element: .float32) })
    }

    private func recognise(
        _ network: NetworkDescription, manifest: ModelManifest? = nil, labels: Labels? = nil
    ) throws -> (family: DetectionFamily, input: NetworkInput) {
        let found = try DetectionFamily.recognise(network, manifest: manifest, labels: labels, file: "/m/net.onnx")
        return (found.family, found.decoder.input)
    }

    /// Common exports of networks trained on COCO, without a manifest and labels.
    @Test(
        arguments: [
            ([1, 3, 416, 416], [[1, 3549, 85]], .yolox), ([1, 3, 640, 640], [[1, 8400, 85]], .yolox),
            ([1, 3, 640, 640], [[1, 25200, 85]], .yolov5), ([1, 3, 1280, 1280], [[1, 102000, 85]], .yolov5),
            ([1, 3, nil, nil], [[1, nil, 85]], .yolov5),
            ([1, 3, 640, 640], [[1, 25200, 117], [1, 32, 160, 160]], .yolov5),
            ([1, 3, 640, 640], [[1, 84, 8400]], .yolov8), ([nil, 3, nil, nil], [[nil, 84, nil]], .yolov8),
            ([1, 3, 640, 640], [[1, 8400, 84]], .yolov8),
            ([1, 3, 640, 640], [[1, 116, 8400], [1, 32, 160, 160]], .yolov8),
            ([1, 3, 640, 480], [[1, 84, 6300]], .yolov8), ([1, 3, 352, 352], [[1, 85, 22, 22]], .fastestDet),
            ([1, 3, 416, 416], [[1, 3598, 112]], .nanodet), ([1, 3, 320, 320], [[1, 2100, 112]], .nanodet),
            ([1, 3, 320, 320], [[1, 2125, 112]], .nanodet), ([1, 3, 640, 640], [[1, 300, 84]], .detr),
            ([1, 3, 800, 800], [[1, 100, 92], [1, 100, 4]], .detr),
            ([1, 3, 640, 640], [[1, 300, 80], [1, 300, 4]], .detr),
            ([1, 3, 560, 560], [[1, 300, 4], [1, 300, 91]], .detr),
            ([1, 300, 300, 3], [[1, 1917, 4], [1, 1917, 91]], .ssd),
            ([1, 300, 300, 3], [[1, 1917, 1, 4], [1, 1917, 91]], .ssd),
            ([1, 3, 320, 320], [[1, 2034, 4], [1, 2034, 91]], .ssd),
            ([1, 640, 640, 3], [[1, 51150, 4], [1, 51150, 91]], .ssd),
            ([1, 320, 320, 3], [[1, 19206, 90], [1, 19206, 4]], .efficientDet),
            ([1, 3, 512, 512], [[1, 49104, 90], [1, 49104, 4]], .efficientDet),
        ] as [([Int?], [[Int?]], DetectionFamily)])
    func recognisesCommonExports(input: [Int?], outputs: [[Int?]], family: DetectionFamily) throws {
        #expect(try recognise(network(input, outputs)).family == family)
    }

    private func network(_ inputs: [TensorDescription], _ outputs: [(String, [Int?], TensorElement)])
        -> NetworkDescription
    {
        NetworkDescription(
            inputs: inputs, outputs: outputs.map { TensorDescription(name: $0.0, shape: $0.1, element: $0.2) })
    }

    private func picture(_ shape: [Int?]) -> TensorDescription {
        TensorDescription(name: "images", shape: shape, element: .float32)
    }

    /// RT-DETR, D-FINE and PaddleDetection have a size input beside the picture.
    @Test func recognisesExportsWithSizeInput() throws {
        let sizes = TensorDescription(name: "orig_target_sizes", shape: [nil, 2], element: .int64)
        let realTime = network(
            [picture([nil, 3, 640, 640]), sizes],
            [("labels", [nil, 300], .int64), ("boxes", [nil, 300, 4], .float32), ("scores", [nil, 300], .float32)])
        let found = try recognise(realTime, labels: names(80))
        #expect(found.family == .detrPostprocessed && found.input.scale.x == 1 / 255)
        let scale = TensorDescription(name: "scale_factor", shape: [nil, 2], element: .float32)
        let paddle = network(
            [scale, picture([nil, 3, 320, 320])],
            [("multiclass_nms", [nil, 6], .float32), ("counts", [nil], .int32)])
        #expect(try recognise(paddle, labels: names(80)).family == .ssdPostprocessed)
    }

    @Test func recognisesTorchvisionLayout() throws {
        let network = network(
            [picture([3, 300, 320])],
            [("boxes", [nil, 4], .float32), ("labels", [nil], .int64), ("scores", [nil], .float32)])
        let found = try recognise(network, labels: names(90))
        #expect(found.family == .ssdPostprocessed && found.input.width == 320 && found.input.height == 300)
    }

    /// The batch size of mmdeploy's outputs is dynamic.
    @Test func recognisesBoxesWithScoresAndDynamicBatchSize() throws {
        let network = network(
            [picture([nil, 3, 640, 640])],
            [("dets", [nil, 100, 5], .float32), ("labels", [nil, 100], .int64)])
        #expect(try recognise(network, labels: names(4)).family == .ssdPostprocessed)
    }

    @Test func dynamicChannelCountIsTakenAsPlanar() throws {
        let input = try recognise(network([nil, nil, nil, nil], [[nil, 84, nil]])).input
        #expect(input.layout == .nchw && input.width == 640 && input.height == 640)
    }

    /// Conditional DETR has 91 scores for 300 queries, as many queries as RT-DETR.
    @Test(arguments: [nil, names(90), names(91)]) func labelsDoNotChangeNormalisationOfDETR(labels: Labels?) throws {
        let input = try recognise(network([1, 3, 800, 800], [[1, 300, 91], [1, 300, 4]]), labels: labels).input
        #expect(input.mean.x > 100)
    }

    /// RF-DETR has one score more than classes. The last score is unused, or index 0 in networks of older versions.
    @Test(arguments: [(false, 4, 0), (true, 4, 1), (nil, 90, 1)] as [(Bool?, Int, Int)])
    func rfDETRHasOneUnusedScore(background: Bool?, classes: Int, firstClass: Int) throws {
        var manifest = ModelManifest(name: "x")
        manifest.hasBackground = background
        let roboflow = network(
            [picture([1, 3, 384, 384])],
            [("dets", [1, 300, 4], .float32), ("labels", [1, 300, classes + 1], .float32)])
        let found = try DetectionFamily.recognise(
            roboflow, manifest: manifest, labels: names(classes), file: "net.onnx")
        let decoder = try #require(found.decoder as? DETRDecoder)
        #expect(decoder.firstClass == firstClass && decoder.classCount == classes)
    }

    /// A segmentation network has one output of FastestDet's form, but of the size of its input.
    @Test func segmentationNetworkIsRefused() {
        #expect(throws: ODTError.self) { try recognise(network([1, 3, 64, 64], [[1, 21, 64, 64]])) }
    }

    /// Otherwise all names could be shifted by one.
    @Test func rfDETRWithoutStatedBackgroundIsRefused() {
        let roboflow = network(
            [picture([1, 3, 384, 384])], [("dets", [1, 300, 4], .float32), ("labels", [1, 300, 5], .float32)])
        let error = #expect(throws: ODTError.self) {
            try DetectionFamily.recognise(roboflow, manifest: nil, labels: names(4), file: "net.onnx")
        }
        #expect(error?.description.contains("set \"background\" in its manifest") == true)
    }

    /// With 91 classes, index 0 is unused. RF-DETR has independent class scores and ImageNet normalisation.
    @Test func distinguishesTransformers() throws {
        let roboflow = network(
            [picture([1, 3, 384, 384])], [("dets", [1, 300, 4], .float32), ("labels", [1, 300, 5], .float32)])
        var manifest = ModelManifest(name: "x")
        manifest.hasBackground = false
        let found = try DetectionFamily.recognise(roboflow, manifest: manifest, labels: names(4), file: "net.onnx")
        let decoder = try #require(found.decoder as? DETRDecoder)
        #expect(decoder.input.mean.x > 100)
        guard case .each(.sigmoid) = decoder.activation else { throw ODTError(.failed, "classes compete") }
        for (numbers, competing) in [(92, true), (91, false), (80, false)] {
            let network = network([1, 3, 800, 800], [[1, 300, numbers], [1, 300, 4]])
            let found = try DetectionFamily.recognise(network, manifest: nil, labels: nil, file: "net.onnx")
            let decoder = try #require(found.decoder as? DETRDecoder)
            #expect(decoder.firstClass == (numbers > 90 ? 1 : 0))
            if case .softmax = decoder.activation { #expect(competing) } else { #expect(!competing) }
        }
    }

    /// Rows of any number with six values are boxes after non-maximum suppression, unless YOLOv5 has one class.
    @Test(
        arguments: [(1, nil, .yolov5), (2, nil, .yoloEndToEnd), (5, nil, .yoloEndToEnd), (1, 300, .yoloEndToEnd)]
            as [(Int, Int?, DetectionFamily)])
    func recognisesEndToEndRows(classes: Int, rows: Int?, family: DetectionFamily) throws {
        #expect(try recognise(network([1, 3, 640, 640], [[1, rows, 6]]), labels: names(classes)).family == family)
    }

    @Test(
        arguments: [
            ([1, 3, 640, 640], [[1, 8400, 5]], .yolov8), ([1, 3, 640, 640], [[1, 300, 1], [1, 300, 4]], .detr),
            ([1, 320, 320, 3], [[1, 19206, 1], [1, 19206, 4]], .efficientDet),
        ] as [([Int?], [[Int?]], DetectionFamily)])
    func recognisesNetworksWithOneClass(input: [Int?], outputs: [[Int?]], family: DetectionFamily) throws {
        #expect(try recognise(network(input, outputs), labels: names(1)).family == family)
    }

    /// The prototypes of masks can be in planes or not, and precede the boxes. Older exports have the raw levels, too.
    @Test(
        arguments: [
            ([1, 640, 640, 3], [[1, 37, 8400], [1, 160, 160, 32]], .yolov8),
            ([1, 3, 640, 640], [[1, 37, 8400], [1, 160, 160, 32]], .yolov8),
            ([1, 640, 640, 3], [[1, 37, 8400], [1, 32, 160, 160]], .yolov8),
            ([1, 3, 640, 640], [[1, 32, 160, 160], [1, 37, 8400]], .yolov8),
            ([1, 3, 256, 128], [[1, 37, 672], [1, 32, 32, 64]], .yolov8),
            (
                [1, 3, 640, 640], [[1, 25200, 6], [1, 3, 80, 80, 6], [1, 3, 40, 40, 6], [1, 3, 20, 20, 6]],
                .yolov5
            ),
        ] as [([Int?], [[Int?]], DetectionFamily)])
    func ignoresOtherOutputsOfYOLO(input: [Int?], outputs: [[Int?]], family: DetectionFamily) throws {
        #expect(try recognise(network(input, outputs), labels: names(1)).family == family)
    }

    @Test func namesDistinguishBoxesFromScores() throws {
        let inspection = try NetworkInspection(
            network(
                [picture([1, 512, 512, 3])],
                [("class_net", [1, 49104, 4], .float32), ("box_net", [1, 49104, 4], .float32)]),
            manifest: nil, labels: names(4), file: "net.onnx")
        let decoder = try #require(try AnchorDecoder(efficientDet: inspection))
        #expect(decoder.heads[0].boxesOutput == 1 && decoder.heads[0].scoresOutput == 0)
    }

    /// The manifest normalises the picture, so the input needs its quantisation.
    @Test func normalisedBytesNeedQuantisation() throws {
        var manifest = ModelManifest(name: "x")
        manifest.input.scale = SIMD3(repeating: 0.5)
        let bytes = network([1, 3, 640, 640], [[1, 84, 8400]], element: .uint8)
        #expect { try recognise(bytes, manifest: manifest) } throws: { "\($0)".contains("takes unsigned bytes") }
        manifest.input.scale = .one
        #expect(try recognise(bytes, manifest: manifest).input.element == .uint8)
        manifest.input.scale = SIMD3(repeating: 0.5)
        manifest.quantisation = ["x": try #require(QuantisationScale(step: 0.25, zero: 10))]
        let input = try recognise(bytes, manifest: manifest).input
        #expect(input.element == .uint8 && input.scale.x == 2 && input.mean.x == -5)
    }

    @Test func preprocessingMatchesFamily() throws {
        let yolox = try recognise(network([1, 3, 416, 416], [[1, 3549, 85]])).input
        #expect(yolox == NetworkInput(width: 416, height: 416, channelOrder: .bgr, fit: .letterboxTopLeft(fill: 114)))
        let yolov8 = try recognise(network([nil, 3, nil, nil], [[nil, 84, nil]])).input
        #expect(yolov8.width == 640 && yolov8.fit == .letterboxCentered(fill: 114) && yolov8.scale.x == 1 / 255)
        let bytes = try recognise(network([1, 320, 320, 3], [[1, 19206, 90], [1, 19206, 4]], element: .uint8)).input
        #expect(bytes.element == .uint8 && bytes.mean == .zero && bytes.scale == .one && bytes.layout == .nhwc)
        let floats = try recognise(network([1, 320, 320, 3], [[1, 19206, 90], [1, 19206, 4]])).input
        #expect(floats.element == .float32 && floats.mean.x == 127 && floats.scale.x == 1 / 128)
        let wide = try recognise(network([1, 3, 480, 640], [[1, 84, 6300]])).input
        #expect(wide.width == 640 && wide.height == 480)
    }

    @Test func manifestOverridesRecognition() throws {
        var manifest = ModelManifest(name: "x")
        manifest.input.width = 320
        manifest.input.height = 256
        manifest.input.channelOrder = .bgr
        manifest.input.mean = SIMD3(1, 2, 3)
        manifest.input.fit = .stretch
        let open = try recognise(network([nil, 3, nil, nil], [[nil, 84, nil]]), manifest: manifest).input
        #expect(open.width == 320 && open.height == 256 && open.channelOrder == .bgr && open.fit == .stretch)
        #expect(open.mean == SIMD3(1, 2, 3) && open.scale.x == 1 / 255)
        // YOLOv6 has the output shape of YOLOX and the encoding of YOLOv5.
        manifest = ModelManifest(name: "x")
        manifest.family = "yolov5"
        #expect(try recognise(network([1, 3, 640, 640], [[1, 8400, 85]]), manifest: manifest).family == .yolov5)
    }

    @Test func labelCountResolvesAmbiguity() throws {
        #expect(try recognise(network([1, 3, 640, 640], [[1, 8400, 7]]), labels: names(2)).family == .yolox)
        #expect(try recognise(network([1, 3, 640, 640], [[1, 8400, 7]]), labels: names(3)).family == .yolov8)
    }

    @Test(
        arguments: [
            ([1, 3, 224, 224], [[1, 1000]], "classifier"), ([1, 3, 320, 320], [[1, 1, 320, 320]], "saliency"),
            ([1, 3, 257, 257], [[1, 17, 17, 32], [1, 17, 17, 34]], "[1,17,17,32]"),
            ([1, 3, 160, 160], [[1, 525, 4], [1, 525, 80]], "manifest"),
            ([1, 3, 64, 64], [[1, 77, 99]], "manifest"), ([1, 3, 640, 640], [[20, 9]], "manifest"),
            ([1, 3, 640, 640], [[nil, 7]], "export it without non-maximum suppression"),
            ([nil, 3, 224, 224], [[nil, 1000]], "classifier"), ([1, 3, 224, 224], [[1, 7]], "classifier"),
            ([1, 3, 640, 640], [[1, 8400, 9]], "label"), ([1, 1, 64, 64], [[1, 84, 85]], "three channels"),
            ([4, 3, 640, 640], [[4, 84, 8400]], "takes 4 pictures at once"),
            ([1, 3, 100_000, 100_000], [[1, 84, 85]], "[1,3,100000,100000]"), ([1, 3, 64], [[1, 84, 85]], "[1,3,64]"),
            ([1, 3, 64, 64], [], ""), ([1, 3, 64, 64], [[]], ""),
        ] as [([Int?], [[Int?]], String)])
    func rejectionNamesRemedy(input: [Int?], outputs: [[Int?]], word: String) {
        #expect {
            try recognise(network(input, outputs))
        } throws: {
            let error = $0 as? ODTError
            return error?.reason == .unsupported && error?.description.contains("/m/net.onnx") == true
                && (word.isEmpty || error?.description.contains(word) == true)
        }
    }

    @Test func extraInputsAreRejected() {
        let network = NetworkDescription(
            inputs: [
                TensorDescription(name: "images", shape: [1, 3, 640, 640], element: .float32),
                TensorDescription(name: "sizes", shape: [1, 2], element: .int64),
            ],
            outputs: [TensorDescription(name: "", shape: [1, 84, 8400], element: .float32)])
        #expect(throws: ODTError.self) { try recognise(network) }
        #expect(throws: ODTError.self) { try recognise(NetworkDescription(inputs: [], outputs: network.outputs)) }
    }

    @Test func labelCountMismatchIsRejected() {
        #expect {
            try recognise(network([1, 3, 640, 640], [[1, 84, 8400]]), labels: names(91))
        } throws: {
            "\($0)".contains("the list of its labels has 91 labels")
        }
    }

    @Test func mismatchedFamilyIsRejected() {
        var manifest = ModelManifest(name: "x")
        for family in DetectionFamily.allCases {
            manifest.family = family.rawValue
            #expect(throws: ODTError.self) {
                try recognise(network([1, 3, 64, 64], [[3], [1, 2, 3, 4, 5]]), manifest: manifest, labels: names(3))
            }
        }
        manifest.family = "yolov99"
        #expect { try recognise(network([1, 3, 640, 640], [[1, 84, 8400]]), manifest: manifest) } throws: {
            "\($0)".contains("yolov99") && "\($0)".contains("yolov8")
        }
    }

    @Test func backgroundLabelIsDropped() throws {
        let detector = try DetectionFamily.decoder(
            for: network([1, 3, 640, 640], [[1, 7, 8400]]), manifest: nil,
            labels: Labels(["background", "a", "b", "c"]), file: "x")
        let output = TestTensor([1, 7, 8400]) { numbers in
            let object: [Float] = [320, 320, 100, 100, 0, 0.9, 0]
            for (plane, number) in object.enumerated() { numbers[plane * 8400] = number }
        }
        #expect(try detector.decode([output]).first?.label == Label(index: 1, text: "b"))
    }
}
