// Two libraries know how to unwind a stack: gcc's, and libunwind, which GStreamer's library brings along. What one has begun the other
// cannot go on with. Where a process has loaded the C++ library before GStreamer, as Python does that imports NumPy or OpenCV first, the
// C++ library throws by gcc's for good; the runtime, loaded later, would find libunwind before that, and the process end at the first
// exception. There, and nowhere else, the runtime's libraries look among their own dependencies first.
#define _GNU_SOURCE
#include "unwinding.h"

#include "libraries.h"
#include "slots.h"

#include <dlfcn.h>

static const char unwinding[] = "_Unwind_RaiseException";

typedef struct {
    void *called;
    ElfW(Addr) base;
} thrower;

static void take(const char *name, void **slot, constant_part constant, void *thrower_of_cpp) {
    (void)constant;
    if (strcmp(name, unwinding) == 0) ((thrower *)thrower_of_cpp)->called = *slot;
}

static int find_thrower(struct dl_phdr_info *library, size_t size, void *found) {
    (void)size;
    if (!is_named(library, "libstdc++.so")) return 0;
    ((thrower *)found)->base = library->dlpi_addr;
    swiftodt_visit_slots(library, take, found);
    return 1;
}

int swiftodt_unwinding_mode(void) {
    thrower cpp = {0};
    Dl_info in;
    dl_iterate_phdr(find_thrower, &cpp);
    // What the loader has left for the first call leads back into the library, which will find then what all others find.
    if (!dladdr(cpp.called, &in) || (ElfW(Addr))in.dli_fbase == cpp.base) return 0;
    void *everybody = dlopen(NULL, RTLD_LAZY);
    void *found = everybody ? dlsym(everybody, unwinding) : NULL;
    if (everybody) dlclose(everybody);
    return found && found != cpp.called ? RTLD_DEEPBIND : 0;
}
