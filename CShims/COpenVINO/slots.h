// Where a library keeps the addresses of what it uses of others.
#pragma once

#include <link.h>

// What the loader makes read-only once it is filled.
typedef struct { ElfW(Addr) start, end; } constant_part;

// Is told the name of what a library uses, and where the address of that stands.
typedef void (*slot_visitor)(const char *name, void **slot, constant_part constant, void *context);

void swiftodt_visit_slots(const struct dl_phdr_info *library, slot_visitor visit, void *context);
