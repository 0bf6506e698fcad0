#pragma once

// Returns the additional flag with which dlopen has to load the runtime's libraries, so that their exceptions can be
// caught: RTLD_DEEPBIND or 0. Returns a negative value if no flag makes this possible, because libgcc_s was loaded
// before GStreamer and libstdc++ after GStreamer.
int swiftodt_unwinding_mode(void);
