// Gives memory back around the compilation of a network: loading the runtime, reading a network and compiling it run through most of
// the code, the loader's tables and the registrations, and leave holes all over the heap. Running the network takes a fifth of the one
// and fills none of the other.
#define _GNU_SOURCE
#include "libraries.h"
#include "openvino.h"

#include <dlfcn.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

static int give_back_pages(struct dl_phdr_info *library, size_t size, void *own) {
    (void)size;
    // The runtime's libraries, and what this code is in itself.
    if (!is_of_runtime(library) && (void *)library->dlpi_addr != own) return 0;
    ElfW(Addr) page = (ElfW(Addr))sysconf(_SC_PAGESIZE);
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        // What has been written to would be lost: only what the file has too.
        if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
        ElfW(Addr) start = (library->dlpi_addr + part->p_vaddr) & -page;
        ElfW(Addr) end = (library->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) & -page;
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void swiftodt_openvino_give_back_memory(void) {
    malloc_trim(0);
    swiftodt_openvino_give_back_code();
}

void swiftodt_openvino_give_back_code(void) {
    Dl_info own = {0};
    dladdr((void *)swiftodt_openvino_give_back_code, &own);
    dl_iterate_phdr(give_back_pages, own.dli_fbase);
}
