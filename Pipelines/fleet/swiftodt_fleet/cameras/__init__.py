"""Many cameras: an `odt watch` for each, wherever there is room, and each event told once."""
