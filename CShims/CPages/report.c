#include "part.h"

static const unsigned char style[] = {
#embed "Shared/colours.css" suffix(,)
#embed "Report/report.css"
};

static const unsigned char body[] = {
#embed "Report/report.html"
};

/* One script, in the order of dependencies. */
static const unsigned char script[] = {
#embed "Shared/elements.js" suffix(,)
#embed "Report/data.js" suffix(,)
#embed "Report/view.js" suffix(,)
#embed "Report/labels.js" suffix(,)
#embed "Report/counts.js" suffix(,)
#embed "Report/timeline.js" suffix(,)
#embed "Report/zones.js" suffix(,)
#embed "Report/heat.js" suffix(,)
#embed "Report/gallery.js" suffix(,)
#embed "Report/report.js"
};

PART (report, style)
PART (report, body)
PART (report, script)
