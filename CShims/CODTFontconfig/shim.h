// Fontconfig's functions for odt, which checks which fonts are installed but draws no text itself.
#include <fontconfig/fontconfig.h>
