#include "include/watch_page.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char style[] = {
#embed "Page/watch.css"
};

static const unsigned char body[] = {
#embed "Page/watch.html"
};

/* One script, in the order in which its parts use each other. */
static const unsigned char script[] = {
#embed "Page/words.js" suffix(,)
#embed "Page/server.js" suffix(,)
#embed "Page/pictures.js" suffix(,)
#embed "Page/objects.js" suffix(,)
#embed "Page/counts.js" suffix(,)
#embed "Page/events.js" suffix(,)
#embed "Page/watch.js"
};

#define PART(name)                                       \
  SwiftOdtWatchPagePart swiftodt_watch_page_##name (void) \
  {                                                      \
    return (SwiftOdtWatchPagePart) { name, sizeof name }; \
  }

PART (style)
PART (body)
PART (script)
