/// The default input parameters of a family, which the network's file and its manifest override.
struct FamilyInput {
    var width: Int
    var height: Int
    var channelOrder: NetworkInput.ChannelOrder = .rgb
    var mean: SIMD3<Float> = .zero
    var scale: SIMD3<Float> = .one
    var fit: NetworkInput.Fit = .stretch
}

extension NetworkInspection {
    /// Returns the network's input. The file has priority over the manifest, and the manifest over the family's
    /// defaults.
    ///
    /// - Throws: ``ODTError`` if the input is not a single three-channel picture of a supported element type.
    func input(_ usual: FamilyInput) throws -> NetworkInput {
        guard let picture = network.pictureInput else {
            let inputs = network.inputs.map { "\($0.name) \($0.shapeText)" }.joined(separator: ", ")
            throw ODTError(
                .unsupported,
                "\(file) has \(network.inputs.count) inputs (\(inputs)); only networks with one picture input, "
                    + "and optionally an input for its size, are supported: export it without its post-processing")
        }
        let input = network.inputs[picture]
        // Some networks have no batch dimension.
        let shape = input.shape.count == 3 ? [1] + input.shape : input.shape
        guard shape.count == 4, shape[0] == nil || shape[0] == 1 else { throw unsuitableInput(input) }
        let layout: NetworkInput.Layout
        switch (shape[1], shape[3]) {
        case (3, _): layout = .nchw
        case (_, 3): layout = .nhwc
        default: throw unsuitableInput(input)
        }
        let (fixedHeight, fixedWidth) = layout == .nchw ? (shape[2], shape[3]) : (shape[1], shape[2])
        let manifestValue = manifest?.input
        let width = fixedWidth ?? manifestValue?.width ?? usual.width
        let height = fixedHeight ?? manifestValue?.height ?? usual.height
        guard (1...8192).contains(width), (1...8192).contains(height) else { throw unsuitableInput(input) }
        var fed = NetworkInput(
            width: width, height: height, layout: layout,
            channelOrder: manifestValue?.channelOrder ?? usual.channelOrder,
            fit: manifestValue?.fit ?? usual.fit)
        switch input.element {
        case .uint8: fed.element = .uint8
        case .float32, .float16:
            fed.element = .float32
            fed.mean = manifestValue?.mean ?? usual.mean
            fed.scale = manifestValue?.scale ?? usual.scale
        case .int8:
            // The runtime converts the float input to int8, so mean and scale include the network's quantisation.
            guard let quantised = quantisation[input.name] else { throw unsuitableInput(input) }
            let scale = manifestValue?.scale ?? usual.scale
            fed.element = .float32
            fed.mean = (manifestValue?.mean ?? usual.mean) - quantised.zero * quantised.step / scale
            fed.scale = scale / quantised.step
        case .int32, .int64: throw unsuitableInput(input)
        }
        return fed
    }

    private func unsuitableInput(_ input: TensorDescription) -> ODTError {
        ODTError(
            .unsupported,
            "\(file) has an input of \(input.element) and shape \(input.shapeText); only one picture with three channels "
                + "as float or unsigned byte is supported: export the model with this input")
    }
}
