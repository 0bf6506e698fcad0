#pragma once

/* The C library declares accept4 and pipe2 only if _GNU_SOURCE is defined, and Swift's module of the C library is
 * built without it. Both functions can create descriptors that have the close-on-exec flag from the start. If fcntl set
 * the flag in a second step, a child process that another thread starts in between would inherit the descriptors.
 * The functions are declared under other names here, because a system header may declare accept4 and pipe2. */
int linux_accept4(int descriptor, void *address, unsigned int *length, int flags) __asm__("accept4");
int linux_pipe2(int ends[2], int flags) __asm__("pipe2");
