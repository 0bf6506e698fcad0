#pragma once

// The flag that dlopen needs in addition so that exceptions of the runtime's libraries are caught: RTLD_DEEPBIND or 0. Negative where nothing helps:
// libgcc_s was loaded before GStreamer, and libstdc++ after it.
int swiftodt_unwinding_mode(void);
