#define _GNU_SOURCE
#include "openvino.h"
#include "unwinding.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

// RTLD_NODELETE keeps the library in memory, because the runtime's threads may run until the process ends.
static const int loading_mode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

// The result of swiftodt_unwinding_mode before the runtime was loaded: the additional flag for dlopen. It is not
// computed again, because the runtime itself loads libstdc++, which changes the result.
static int unwinding_mode;
static bool is_loaded;

bool swiftodt_openvino_is_loadable(void) { return is_loaded || swiftodt_unwinding_mode() >= 0; }

const char *swiftodt_openvino_load(const char *file, swiftodt_openvino *functions, bool *lacking) {
    *lacking = false;
    if (!is_loaded) unwinding_mode = swiftodt_unwinding_mode();
    void *library = dlopen(file, loading_mode | unwinding_mode);
    if (!library) return dlerror();
    is_loaded = true;
#define SWIFTODT_FIND(result, name, arguments)                                   \
    functions->name = (result(*) arguments)dlsym(library, #name);                \
    if (!functions->name) {                                                      \
        *lacking = true;                                                         \
        return #name;                                                            \
    }
    SWIFTODT_OPENVINO_FUNCTIONS(SWIFTODT_FIND)
#undef SWIFTODT_FIND
    return NULL;
}

void swiftodt_openvino_preload(const swiftodt_openvino *functions, const char *part) {
    Dl_info in;
    if (unwinding_mode == 0 || !dladdr((void *)functions->ov_core_create, &in)) return;
    const char *slash = strrchr(in.dli_fname, '/');
    if (!slash) return;
    int length = (int)(slash - in.dli_fname);
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%.*s/", length, in.dli_fname);
    DIR *folder = opendir(path);
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strncmp(entry->d_name, "libopenvino_", 12) != 0 || !strstr(entry->d_name, part)) continue;
        if (snprintf(path, sizeof(path), "%.*s/%s", length, in.dli_fname, entry->d_name) < (int)sizeof(path)) {
            dlopen(path, loading_mode | unwinding_mode);
        }
    }
    closedir(folder);
}

ov_status swiftodt_openvino_set(
    const swiftodt_openvino *functions, const ov_core *core, const char *device, const char *key, const char *value) {
    return functions->ov_core_set_property(core, device, key, value);
}

ov_status swiftodt_openvino_compile(
    const swiftodt_openvino *functions, const ov_core *core, const ov_model *model, const char *device,
    ov_compiled_model **compiled) {
    return functions->ov_core_compile_model(core, model, device, 0, compiled);
}

const char *swiftodt_own_file(void) {
    Dl_info info;
    return dladdr((void *)swiftodt_own_file, &info) ? info.dli_fname : NULL;
}

int swiftodt_file_in_memory(void) { return memfd_create("swiftodt", MFD_CLOEXEC); }

bool swiftodt_eight_bit_sums_overflow(void) {
#if defined(__x86_64__)
    unsigned eax, ebx, ecx, edx;
    bool has_avx512_vnni = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && ecx & 1u << 11;
    bool has_avx_vnni = __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && eax & 1u << 4;
    return !has_avx512_vnni && !has_avx_vnni;
#else
    return false;
#endif
}
