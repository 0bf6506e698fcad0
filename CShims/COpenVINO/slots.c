// Reads the tables in which a library tells the loader what it uses, and where the addresses of that are to be put. They are Rela on all
// 64-bit processors that there is a runtime for.
#define _GNU_SOURCE
#include "slots.h"

#include <stdbool.h>
#include <unistd.h>

typedef struct {
    const ElfW(Sym) *symbols;
    const char *names;
    // Those for calls, and those for all else: which one a call's slot is in depends on how the library was linked.
    struct { const ElfW(Rela) *first; size_t bytes; } relocations[2];
    constant_part constant;
} tables;

// Some loaders turn the addresses in the list of tables into absolute ones, others leave them relative to the library.
static const void *address(ElfW(Addr) base, ElfW(Addr) value) { return (const void *)(value < base ? base + value : value); }

static bool find_tables(const struct dl_phdr_info *library, tables *found) {
    ElfW(Addr) base = library->dlpi_addr, page = (ElfW(Addr))sysconf(_SC_PAGESIZE);
    const ElfW(Dyn) *entry = NULL;
    *found = (tables){0};
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type == PT_DYNAMIC) entry = (const void *)(base + part->p_vaddr);
        if (part->p_type == PT_GNU_RELRO) {
            found->constant.start = (base + part->p_vaddr) & -page;
            found->constant.end = (base + part->p_vaddr + part->p_memsz) & -page;
        }
    }
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_SYMTAB: found->symbols = address(base, entry->d_un.d_ptr); break;
        case DT_STRTAB: found->names = address(base, entry->d_un.d_ptr); break;
        case DT_JMPREL: found->relocations[0].first = address(base, entry->d_un.d_ptr); break;
        case DT_PLTRELSZ: found->relocations[0].bytes = entry->d_un.d_val; break;
        case DT_RELA: found->relocations[1].first = address(base, entry->d_un.d_ptr); break;
        case DT_RELASZ: found->relocations[1].bytes = entry->d_un.d_val; break;
        default: break;
        }
    }
    return found->symbols && found->names;
}

void swiftodt_visit_slots(const struct dl_phdr_info *library, slot_visitor visit, void *context) {
    tables in;
    if (!find_tables(library, &in)) return;
    for (int table = 0; table < 2; table++) {
        for (size_t i = 0; i < in.relocations[table].bytes / sizeof(ElfW(Rela)); i++) {
            const ElfW(Rela) *relocation = &in.relocations[table].first[i];
            size_t symbol = ELF64_R_SYM(relocation->r_info);
            if (!symbol) continue;
            void **slot = (void **)(library->dlpi_addr + relocation->r_offset);
            visit(in.names + in.symbols[symbol].st_name, slot, in.constant, context);
        }
    }
}
