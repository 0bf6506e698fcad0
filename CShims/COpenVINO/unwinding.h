#pragma once

// Returns the flag that dlopen needs in addition so that exceptions of the runtime's libraries are caught:
// RTLD_DEEPBIND or 0. Returns a negative value if no flag helps: libgcc_s was loaded before GStreamer, and libstdc++
// after it.
int swiftodt_unwinding_mode(void);
