// How the runtime's libraries have to be opened so that what they throw is caught: what dlopen's mode needs besides.
#pragma once

int swiftodt_unwinding_mode(void);
