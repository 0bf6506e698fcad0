#include "include/report_page.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char style[] = {
#embed "Page/report.css"
};

static const unsigned char body[] = {
#embed "Page/report.html"
};

/* One script, in the order in which its parts use each other. */
static const unsigned char script[] = {
#embed "Page/data.js" suffix(,)
#embed "Page/view.js" suffix(,)
#embed "Page/labels.js" suffix(,)
#embed "Page/counts.js" suffix(,)
#embed "Page/timeline.js" suffix(,)
#embed "Page/zones.js" suffix(,)
#embed "Page/heat.js" suffix(,)
#embed "Page/gallery.js" suffix(,)
#embed "Page/report.js"
};

#define PART(name)                                   \
  SwiftOdtPagePart swiftodt_report_page_##name (void) \
  {                                                  \
    return (SwiftOdtPagePart) { name, sizeof name };  \
  }

PART (style)
PART (body)
PART (script)
