/* How a file of a page's hands out what it has embedded. */
#pragma once

#include "include/pages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#define PART(page, name)                                  \
  SwiftOdtPagePart swiftodt_##page##_page_##name (void)   \
  {                                                       \
    return (SwiftOdtPagePart) { name, sizeof name };      \
  }
