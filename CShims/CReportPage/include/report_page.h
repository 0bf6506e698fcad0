/* The files in Page/, as part of the program: what a web page of `odt report` is made of. */
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
