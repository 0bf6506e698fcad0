#define _GNU_SOURCE
#include "openvino.h"

#include <dlfcn.h>

const char *swiftodt_openvino_load(const char *file, swiftodt_openvino *functions, bool *lacking) {
    *lacking = false;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
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

ov_status swiftodt_openvino_compile(
    const swiftodt_openvino *functions, const ov_core *core, const ov_model *model, const char *device,
    const char *const *pairs, size_t count, ov_compiled_model **compiled) {
    const char *all[8] = {0};
    if (count > 4) count = 4;
    for (size_t i = 0; i < 2 * count; i++) all[i] = pairs[i];
    // The library reads as many as the count says; what follows is not looked at.
    return functions->ov_core_compile_model(
        core, model, device, 2 * count, compiled, all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7]);
}

const char *swiftodt_own_file(void) {
    Dl_info info;
    return dladdr((void *)swiftodt_own_file, &info) ? info.dli_fname : NULL;
}
