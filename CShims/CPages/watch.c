#include "part.h"

static const unsigned char style[] = {
#embed "Shared/colours.css" suffix(,)
#embed "Watch/watch.css"
};

static const unsigned char body[] = {
#embed "Watch/watch.html"
};

/* One script, in the order of dependencies. */
static const unsigned char script[] = {
#embed "Shared/elements.js" suffix(,)
#embed "Watch/words.js" suffix(,)
#embed "Watch/server.js" suffix(,)
#embed "Watch/pictures.js" suffix(,)
#embed "Watch/objects.js" suffix(,)
#embed "Watch/counts.js" suffix(,)
#embed "Watch/events.js" suffix(,)
#embed "Watch/watch.js"
};

PART (watch, style)
PART (watch, body)
PART (watch, script)
