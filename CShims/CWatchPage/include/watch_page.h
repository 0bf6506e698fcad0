/* The files in Page/, as part of the program: what the live page of `odt watch` is made of. */
#pragma once

#include <stddef.h>

typedef struct
{
  const unsigned char *text;
  size_t size;
} SwiftOdtWatchPagePart;

SwiftOdtWatchPagePart swiftodt_watch_page_style (void);
SwiftOdtWatchPagePart swiftodt_watch_page_body (void);
SwiftOdtWatchPagePart swiftodt_watch_page_script (void);
