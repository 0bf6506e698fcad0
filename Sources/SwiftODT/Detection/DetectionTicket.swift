/// A detection under way.
public typealias DetectionTicket = Ticket<[Detection]>
