/// The performance hint, by which the runtime chooses streams, threads and precision.
public enum InferenceHint: Hashable, Sendable {
    /// Minimum latency: all threads work on one picture.
    case latency
    /// Maximum throughput: several inferences are in flight at once.
    case throughput
}
