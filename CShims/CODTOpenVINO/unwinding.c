// A process can have two stack unwinders: libgcc_s, and libunwind, on which GStreamer's library depends. Code that is
// bound to one unwinder cannot handle an exception that the other unwinder propagates.
//
// This matters if a process has loaded libgcc_s before GStreamer, for example Python with NumPy. The code loaded until
// then is bound to libgcc_s. Libraries that are loaded later are bound to libunwind, and their first exception ends the
// process. In this case, and only then, the runtime's libraries are loaded with RTLD_DEEPBIND. They then search their
// own dependencies first and find libgcc_s.
//
// The decision depends on the order in which the libraries were loaded. It assumes that the symbols of a library were
// bound when the library was loaded, as in Python. It is wrong for a process that loaded libstdc++ with RTLD_LAZY |
// RTLD_LOCAL and then GStreamer with RTLD_GLOBAL.
#define _GNU_SOURCE
#include "unwinding.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

// The positions of three libraries in the order of loading, starting at 1; 0 if the library is not loaded. `unwinder`
// is the library at the address `unwinder_base`, `gcc` is libgcc_s, and `cpp` is libstdc++. `count` is the number of
// all loaded libraries.
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
    // Find the unwinder to which a library would be bound if it were loaded now.
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
