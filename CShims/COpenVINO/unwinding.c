// A process can have two stack unwinders: libgcc_s, and libunwind, which GStreamer's library depends on. An exception
// that one of them propagates cannot be handled by code that calls the other. If a process loaded libgcc_s before
// GStreamer, such as Python with NumPy, its code is bound to libgcc_s, but libraries that are loaded later are bound
// to libunwind, and the first exception ends the process. Only in this case the runtime's libraries are loaded with
// RTLD_DEEPBIND, so that they search their own dependencies first and find libgcc_s.
//
// The decision depends on the order of loading. It assumes that symbols were bound when the libraries were loaded, as
// Python does. A process that loaded libstdc++ with RTLD_LAZY | RTLD_LOCAL and then GStreamer with RTLD_GLOBAL is not
// recognised.
#define _GNU_SOURCE
#include "unwinding.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

// Positions in the order of loading, from 1; 0 for a library that is not loaded.
typedef struct {
    const void *unwinder_base;
    int count, unwinder, gcc, cpp;
} load_order;

static bool is_named(const struct dl_phdr_info *library, const char *prefix) {
    const char *slash = strrchr(library->dlpi_name, '/');
    return strncmp(slash ? slash + 1 : library->dlpi_name, prefix, strlen(prefix)) == 0;
}

static int note_position(struct dl_phdr_info *library, size_t size, void *into) {
    (void)size;
    load_order *order = into;
    order->count++;
    if ((const void *)library->dlpi_addr == order->unwinder_base) order->unwinder = order->count;
    if (is_named(library, "libgcc_s.so")) order->gcc = order->count;
    if (is_named(library, "libstdc++.so")) order->cpp = order->count;
    return 0;
}

int swiftodt_unwinding_mode(void) {
    // The unwinder that a library would be bound to if it were loaded now.
    void *process = dlopen(NULL, RTLD_LAZY);
    void *unwinder = process ? dlsym(process, "_Unwind_RaiseException") : NULL;
    if (process) dlclose(process);
    Dl_info in;
    if (!unwinder || !dladdr(unwinder, &in)) return 0;
    load_order order = {.unwinder_base = in.dli_fbase};
    dl_iterate_phdr(note_position, &order);
    if (!order.gcc || order.gcc >= order.unwinder) return 0;
    return order.cpp > order.unwinder ? -1 : RTLD_DEEPBIND;
}
