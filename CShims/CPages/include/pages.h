/* The web pages, as part of the program: that of `odt report` (Report/), the live one of `odt watch` (Watch/), and what both are made of
 * (Shared/). */
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
