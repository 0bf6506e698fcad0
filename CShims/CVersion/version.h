#pragma once

/* The version of the plugin and of odt. The first entry of CHANGELOG.md has the same version. */
#define SWIFTODT_VERSION "0.1.0"
