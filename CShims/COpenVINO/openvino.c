#define _GNU_SOURCE
#include "openvino.h"
#include "unwinding.h"

#include <dlfcn.h>
#include <sys/mman.h>

const char *swiftodt_openvino_load(const char *file, swiftodt_openvino *functions, bool *lacking) {
    *lacking = false;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | swiftodt_unwinding_mode());
    if (!library) return dlerror();
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
