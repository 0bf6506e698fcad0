#pragma once

/* The version of all that is here: of the plugin and of odt. CHANGELOG.md begins with it. */
#define SWIFTODT_VERSION "0.1.0"
