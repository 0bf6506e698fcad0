#pragma once

/* The C library declares these functions only if _GNU_SOURCE is defined, and Swift's module of the C library is
 * built without it. accept4 and pipe2 can create descriptors that have the close-on-exec flag from the start. If fcntl set
 * the flag in a second step, a child process that another thread starts in between would inherit the descriptors.
 * The functions are declared under other names here, because a system header may declare them. */
int linux_accept4(int descriptor, void *address, unsigned int *length, int flags) __asm__("accept4");
int linux_pipe2(int ends[2], int flags) __asm__("pipe2");
int linux_gettid(void) __asm__("gettid");
int linux_posix_spawn_addclosefrom(void *actions, int from) __asm__("posix_spawn_file_actions_addclosefrom_np");

/* Registers a thread-local destructor of the calling thread. The C library exports this function for C++ and other
 * languages, and has no header for it. `library` is an address in the library of `destructor`. */
int linux_thread_atexit(void (*destructor)(void *), void *argument, void *library) __asm__("__cxa_thread_atexit_impl");
