// Keeps the runtime from destroying at exit what its threads are at work with.
//
// The runtime keeps things for all networks in static variables, above all the machine code that its CPU plugin writes, and
// makes them when first needed: often during the first inference of a network. Each then asks __cxa_atexit to have it destroyed, after
// every handler of ours, so before each of them is run. Worse, it may ask while an inference runs that exit does not wait for: no
// handler can be there in time. So the runtime is given another __cxa_atexit, which forgets what it is told: the memory is
// given back by the end of the process anyway. It costs that a library once seen here stays loaded.
//
// What a library asks for while it is being loaded, nobody can keep it from. That must be destroyed after our handler has waited, so one is
// added after each library, and the runtime is given another dlopen, which sees to that. Where the program's end has come meanwhile, the
// library's may have too, and it is not found.
//
// Each library finds both functions through slots of its own, which the loader fills: nobody else's are touched.
#define _GNU_SOURCE
#include "libraries.h"
#include "openvino.h"
#include "slots.h"
#include "unwinding.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool (*may_use)(void);

static bool redirect_libraries(void);

static void *load(const char *file, int mode) {
    mode |= swiftodt_unwinding_mode();
    // In which folders a bare name is looked for depends on who calls: that must remain the runtime.
    if (!file || !strchr(file, '/')) __attribute__((musttail)) return dlopen(file, mode);
    void *library = dlopen(file, mode);
    if (!library || !redirect_libraries() || may_use()) return library;
    dlclose(library);
    return NULL;
}

static int leave_undestroyed(void (*destroy)(void *), void *object, void *library) {
    (void)destroy, (void)object, (void)library;
    return 0;
}

static void redirect(const char *name, void **slot, constant_part constant, void *count) {
    void *function = NULL;
    if (strcmp(name, "__cxa_atexit") == 0) function = (void *)leave_undestroyed;
    if (strcmp(name, "dlopen") == 0) function = (void *)load;
    if (!function || *slot == function) return;
    ElfW(Addr) page = (ElfW(Addr))sysconf(_SC_PAGESIZE), start = (ElfW(Addr))slot & -page;
    bool is_constant = start >= constant.start && start < constant.end;
    if (is_constant && mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0) return;
    // The library's threads may be reading it.
    __atomic_store_n(slot, function, __ATOMIC_RELEASE);
    if (is_constant) mprotect((void *)start, page, PROT_READ);
    ++*(int *)count;
}

typedef struct {
    struct dl_phdr_info list[32];
    int count;
} libraries;

static int collect(struct dl_phdr_info *library, size_t size, void *into) {
    (void)size;
    libraries *found = into;
    if (!is_of_runtime(library)) return 0;
    found->list[found->count] = *library;
    // The loader's copy goes with the library.
    found->list[found->count].dlpi_name = strdup(library->dlpi_name);
    return ++found->count == sizeof(found->list) / sizeof(found->list[0]);
}

// Returns whether there was a library that this is new for.
static bool redirect_libraries(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    libraries found = {.count = 0};
    dl_iterate_phdr(collect, &found);
    int count = 0;
    for (int i = 0; i < found.count; i++) {
        char *name = (char *)found.list[i].dlpi_name;
        // The loader lists libraries whose slots it has yet to fill. This waits until it is done, and then keeps the library.
        void *library = name ? dlopen(name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        int redirected = 0;
        if (library) swiftodt_visit_slots(&found.list[i], redirect, &redirected);
        if (library && !redirected) dlclose(library);
        count += redirected;
        free(name);
    }
    pthread_mutex_unlock(&lock);
    return count > 0;
}

void swiftodt_openvino_leave_undestroyed(bool (*loaded)(void)) {
    may_use = loaded;
    redirect_libraries();
    loaded();
}
