/* Defines the function that returns an embedded part of a page. */
#pragma once

#include "include/pages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#define PART(page, name)                                  \
  SwiftOdtPagePart swiftodt_##page##_page_##name (void)   \
  {                                                       \
    return (SwiftOdtPagePart) { name, sizeof name };      \
  }
