/* The web pages, embedded in the program: the report of `odt report` (Report/), the live page of `odt watch` (Watch/), and their
 * common parts (Shared/). */
#pragma once

#include <stddef.h>

typedef struct
{
  const unsigned char *text;
  size_t size;
} SwiftOdtPagePart;

SwiftOdtPagePart swiftodt_report_page_style (void);
SwiftOdtPagePart swiftodt_report_page_body (void);
SwiftOdtPagePart swiftodt_report_page_script (void);

SwiftOdtPagePart swiftodt_watch_page_style (void);
SwiftOdtPagePart swiftodt_watch_page_body (void);
SwiftOdtPagePart swiftodt_watch_page_script (void);
