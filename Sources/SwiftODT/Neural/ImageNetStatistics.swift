/// The mean and the inverse standard deviation of the red, green and blue levels in ImageNet, for levels from 0 to 255.
/// Many PyTorch models use these values to normalise their input.
enum ImageNetStatistics {
    static let mean = SIMD3<Float>(0.485, 0.456, 0.406) * 255
    static let scale = 1 / (SIMD3<Float>(0.229, 0.224, 0.225) * 255)
}
