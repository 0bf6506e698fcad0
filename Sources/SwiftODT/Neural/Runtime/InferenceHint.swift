/// What the runtime shall tune a network for: it chooses streams, threads and precision by this.
public enum InferenceHint: Hashable, Sendable {
    /// One answer as soon as can be: all threads work on one picture.
    case latency
    /// As many answers a second as can be: several pictures are under way at once.
    case throughput
}
