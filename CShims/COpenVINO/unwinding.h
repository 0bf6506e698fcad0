#pragma once

// The flag that dlopen needs in addition so that exceptions of the runtime's libraries are caught: RTLD_DEEPBIND or 0.
int swiftodt_unwinding_mode(void);
