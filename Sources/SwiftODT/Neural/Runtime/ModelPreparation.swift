import CODTOpenVINO

/// Adapts a model to the input that ``InputFiller`` writes: one picture of a fixed size, in planes of bytes or floats.
extension LoadedModel {
    /// Reads a model and adapts it. An .onnx model is first changed to an equivalent model that runs faster. If the
    /// runtime rejects a changed model, the function tries the next slower one, and the original file last.
    static func prepared(_ file: ModelFile, for input: NetworkInput, runtime: OpenVINO) throws -> LoadedModel {
        for form in cheaperForms(of: file, for: input) {
            if let read = LoadedModel(form.content, of: file, runtime: runtime),
                (try? read.prepare(for: form.input)) != nil
            {
                return read
            }
        }
        let read = try LoadedModel(file, runtime: runtime)
        try read.prepare(for: input)
        return read
    }

    /// Returns changed contents of an .onnx file that compute the same outputs faster. The fastest form is first. Each
    /// form has its own input format.
    private static func cheaperForms(
        of file: ModelFile, for input: NetworkInput
    ) -> [(content: [UInt8], input: NetworkInput)] {
        guard ModelFormat(file: file.path) == .onnx, let content = try? FileBytes.read(file.path, limit: largestChanged)
        else {
            return []
        }
        let rows = TrailingTranspose.transposeRemoved(content)
        let spaceToDepth = input.spaceToDepthInput.flatMap { spaceToDepthInput in
            FocusLayer.folded(rows ?? content).map { (content: $0, input: spaceToDepthInput) }
        }
        return [spaceToDepth, rows.map { (content: $0, input: input) }].compactMap { $0 }
    }

    /// The maximum size in bytes of a file for which faster forms are computed.
    private static let largestChanged = 1 << 28

    /// Returns whether ``InputFiller`` writes bytes instead of floats. Bytes need a quarter of the memory, but are
    /// possible only if the model takes grey levels from 0 to 255 without normalisation.
    private func takesBytes(_ port: Port, _ input: NetworkInput) -> Bool {
        [.uint8, .float32, .float16].contains(runtime.elements[port.code]) && input.mean == .zero && input.scale == .one
    }

    /// Sets the shapes and element types of the inputs and outputs.
    func prepare(for input: NetworkInput) throws {
        let (inputs, outputs) = try ports()
        guard let picture = try description().pictureInput else {
            throw ODTError(
                .unsupported,
                "\(file.name) has \(inputs.count) inputs; only networks with one picture input are supported")
        }
        let port = inputs[picture]
        guard !outputs.isEmpty else { throw ODTError(.unsupported, "\(file.name) has no outputs") }
        try check(input)
        let bytes = takesBytes(port, input)
        try reshape(inputs, picture: picture, to: input)
        try convert(port, number: picture, outputs: outputs, input: input, bytes: bytes)
    }

    private func check(_ input: NetworkInput) throws {
        let sizes = 1...8192
        guard sizes.contains(input.width), sizes.contains(input.height) else {
            throw ODTError(
                .unsupported,
                "the input size \(input.width)x\(input.height) for \(file.name) is not from 1x1 to 8192x8192")
        }
        for channel in 0..<3 {
            guard input.mean[channel].isFinite, input.scale[channel].isFinite, input.scale[channel] != 0 else {
                throw ODTError(
                    .unsupported, "the mean and scale for \(file.name) must be finite, and the scale must not be 0")
            }
        }
    }

    /// Sets fixed shapes for all inputs. If the picture input has no batch dimension, none is added.
    private func reshape(_ ports: [Port], picture: Int, to input: NetworkInput) throws {
        let port = ports[picture]
        let shape = port.description.shape
        let wanted = Array(input.shape.suffix(shape.count == 3 ? 3 : 4))
        let channel = input.layout == .nhwc ? wanted.count - 1 : wanted.count - 3
        guard
            port.anyRank || shape.count == wanted.count && (shape[channel] == nil || shape[channel] == wanted[channel])
        else {
            throw ODTError(
                .unsupported,
                "the input of \(file.name) has the shape \(text(shape)); it must be a picture with three channels")
        }
        let shapes = ports.indices.map { number -> [Int] in
            if number == picture { return wanted }
            let side = input.auxiliaryNumbers(ports[number].description.name) ?? []
            return ports[number].description.shape.count == 1 ? [side.count] : [1, side.count]
        }
        if zip(ports, shapes).allSatisfy({ $0.description.shape == $1 }) { return }
        let functions = runtime.functions
        var partials: [ov_partial_shape] = []
        defer { for index in partials.indices { functions.ov_partial_shape_free(&partials[index]) } }
        for shape in shapes {
            var partial = ov_partial_shape()
            let dimensions = shape.map(Int64.init)
            guard functions.ov_partial_shape_create_static(Int64(shape.count), dimensions, &partial) == 0 else {
                throw refused(input)
            }
            partials.append(partial)
        }
        guard functions.ov_model_reshape_by_port_indexes(model, Array(ports.indices), partials, ports.count) == 0
        else {
            let sides = shape.suffix(input.layout == .nhwc ? 3 : 2).prefix(2).compactMap(\.self)
            guard sides.count == 2 else { throw refused(input) }
            throw refused(
                input,
                remedy:
                    "; set \"input\": {\"width\": \(sides[1]), \"height\": \(sides[0])} in its manifest, which is the size of its "
                    + "export")
        }
    }

    /// Adds conversions to the model. The picture is converted from planes of bytes or floats to the model's layout and
    /// element type. Outputs whose element type is not a ``TensorElement`` are converted to floats.
    private func convert(_ port: Port, number: Int, outputs: [Port], input: NetworkInput, bytes: Bool) throws {
        let elements = runtime.elements
        let fed = bytes ? elements.uint8 : elements.float32
        let odd = outputs.indices.filter {
            passedOn(outputs[$0].code) == .float32 && outputs[$0].code != elements.float32
        }
        if input.layout != .nhwc && port.code == fed && odd.isEmpty { return }

        let functions = runtime.functions
        var processor: OpaquePointer?
        guard functions.ov_preprocess_prepostprocessor_create(model, &processor) == 0, let processor else {
            throw refused(input)
        }
        defer { functions.ov_preprocess_prepostprocessor_free(processor) }
        var built: OpaquePointer?
        let hasBatch = port.description.shape.count != 3
        guard feed(processor, number: number, element: fed, layout: input.layout, hasBatch: hasBatch),
            odd.allSatisfy({ toFloat(processor, output: $0) }),
            functions.ov_preprocess_prepostprocessor_build(processor, &built) == 0, let built
        else { throw refused(input) }
        replace(with: built)
    }

    private func feed(
        _ processor: OpaquePointer, number: Int, element: UInt32, layout: NetworkInput.Layout, hasBatch: Bool
    ) -> Bool {
        let functions = runtime.functions
        var info: OpaquePointer?
        var tensor: OpaquePointer?
        var wanted: OpaquePointer?
        var planes: OpaquePointer?
        var own: OpaquePointer?
        defer {
            if let own { functions.ov_layout_free(own) }
            if let planes { functions.ov_layout_free(planes) }
            if let wanted { functions.ov_preprocess_input_model_info_free(wanted) }
            if let tensor { functions.ov_preprocess_input_tensor_info_free(tensor) }
            if let info { functions.ov_preprocess_input_info_free(info) }
        }
        return functions.ov_preprocess_prepostprocessor_get_input_info_by_index(processor, number, &info) == 0
            && functions.ov_preprocess_input_info_get_tensor_info(info, &tensor) == 0
            && functions.ov_preprocess_input_info_get_model_info(info, &wanted) == 0
            && functions.ov_layout_create(hasBatch ? "NCHW" : "CHW", &planes) == 0
            && functions.ov_layout_create((hasBatch ? "N" : "") + (layout == .nhwc ? "HWC" : "CHW"), &own) == 0
            && functions.ov_preprocess_input_tensor_info_set_element_type(tensor, element) == 0
            && functions.ov_preprocess_input_tensor_info_set_layout(tensor, planes) == 0
            && functions.ov_preprocess_input_model_info_set_layout(wanted, own) == 0
    }

    private func toFloat(_ processor: OpaquePointer, output: Int) -> Bool {
        let functions = runtime.functions
        var info: OpaquePointer?
        var tensor: OpaquePointer?
        defer {
            if let tensor { functions.ov_preprocess_output_tensor_info_free(tensor) }
            if let info { functions.ov_preprocess_output_info_free(info) }
        }
        return functions.ov_preprocess_prepostprocessor_get_output_info_by_index(processor, output, &info) == 0
            && functions.ov_preprocess_output_info_get_tensor_info(info, &tensor) == 0
            && functions.ov_preprocess_output_set_element_type(tensor, runtime.elements.float32) == 0
    }

    private func refused(_ input: NetworkInput, remedy: String = "") -> ODTError {
        ODTError(
            .unsupported,
            "\(file.name) does not support pictures of \(input.width)x\(input.height) pixels: \(runtime.lastError)\(remedy)"
        )
    }

    private func text(_ shape: [Int?]) -> String {
        "[" + shape.map { $0.map(String.init) ?? "?" }.joined(separator: ", ") + "]"
    }
}

extension NetworkInput {
    /// Returns the values of the auxiliary input called `name`. An auxiliary input is an input in addition to the
    /// picture. It contains sizes by which the network scales its boxes. With the returned values, the network returns
    /// boxes in pixels of its input. Returns `nil` if `name` is not the name of an auxiliary input.
    ///
    /// Auxiliary inputs are recognised by their names in exported models: RT-DETR and D-FINE (`orig_target_sizes`),
    /// PaddleDetection (`im_shape`, `scale_factor`) and others.
    func auxiliaryNumbers(_ name: String) -> [Double]? {
        let (width, height) = (Double(width), Double(height))
        return switch name.split(separator: ":").first.map({ $0.lowercased() }) {
        case "orig_target_sizes": [width, height]
        case "im_shape", "image_shape": [height, width]
        case "im_info", "image_info": [height, width, 1]
        case "scale_factor": [1, 1]
        default: nil
        }
    }
}

extension NetworkDescription {
    /// The index of the picture input: the only input, or the only input that is not auxiliary. `nil` if there is no
    /// such input.
    var pictureInput: Int? {
        let anySize = NetworkInput(width: 1, height: 1)
        let unknown = inputs.indices.filter { inputs.count == 1 || anySize.auxiliaryNumbers(inputs[$0].name) == nil }
        return unknown.count == 1 ? unknown[0] : nil
    }
}
