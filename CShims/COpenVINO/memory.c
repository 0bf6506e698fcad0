// Gives memory back once a network is compiled: reading and compiling run through most of the runtime's code and leave holes
// all over the heap, running the network takes a fifth of the one and fills none of the other.
#define _GNU_SOURCE
#include "openvino.h"

#include <link.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int give_back_code(struct dl_phdr_info *library, size_t size, void *unused) {
    (void)size, (void)unused;
    const char *slash = strrchr(library->dlpi_name, '/');
    if (strncmp(slash ? slash + 1 : library->dlpi_name, "libopenvino", strlen("libopenvino")) != 0) return 0;
    ElfW(Addr) page = (ElfW(Addr))sysconf(_SC_PAGESIZE);
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        // What has been written to would be lost: only what the file has too. The loader leaves code alone.
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || part->p_flags & PF_W) continue;
        ElfW(Addr) start = (library->dlpi_addr + part->p_vaddr) & -page;
        ElfW(Addr) end = (library->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) & -page;
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void swiftodt_openvino_give_back_memory(void) {
    malloc_trim(0);
    dl_iterate_phdr(give_back_code, NULL);
}
