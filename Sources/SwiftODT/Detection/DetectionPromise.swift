/// A detection under way.
public typealias DetectionPromise = Promise<[Detection]>
