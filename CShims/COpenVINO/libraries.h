// Which of a process's libraries are the runtime's.
#pragma once

#include <link.h>
#include <stdbool.h>
#include <string.h>

static inline bool is_of_runtime(const struct dl_phdr_info *library) {
    static const char prefix[] = "libopenvino";
    const char *slash = strrchr(library->dlpi_name, '/');
    return strncmp(slash ? slash + 1 : library->dlpi_name, prefix, strlen(prefix)) == 0;
}
