#include "swiftodt-element.h"
