#include "openvino.h"
