/// The mean and spread of ImageNet's colours, by which networks trained with PyTorch expect pictures to be normalised.
enum ImageNetStatistics {
    static let mean = SIMD3<Float>(0.485, 0.456, 0.406) * 255
    static let scale = 1 / (SIMD3<Float>(0.229, 0.224, 0.225) * 255)
}
