#pragma once

/* The C library declares accept4 and pipe2 only with _GNU_SOURCE, which Swift's module of it is built without. Both make descriptors that
   no child process inherits, in one step: with fcntl afterwards, a child that another thread starts in between would inherit them.
   The names differ, so that this header agrees with one that declares them. */
int linux_accept4(int descriptor, void *address, unsigned int *length, int flags) __asm__("accept4");
int linux_pipe2(int ends[2], int flags) __asm__("pipe2");
