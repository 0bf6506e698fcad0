// Which of a process's libraries are which.
#pragma once

#include <link.h>
#include <stdbool.h>
#include <string.h>

static inline bool is_named(const struct dl_phdr_info *library, const char *prefix) {
    const char *slash = strrchr(library->dlpi_name, '/');
    return strncmp(slash ? slash + 1 : library->dlpi_name, prefix, strlen(prefix)) == 0;
}

static inline bool is_of_runtime(const struct dl_phdr_info *library) { return is_named(library, "libopenvino"); }
