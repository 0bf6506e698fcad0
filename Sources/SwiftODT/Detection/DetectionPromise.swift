/// The pending result of a detection.
public typealias DetectionPromise = Promise<[Detection]>
