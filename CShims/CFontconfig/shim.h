// Which fonts there are, for odt, which draws none itself.
#include <fontconfig/fontconfig.h>
