#pragma once

/* The version of the plugin and of odt. The first entry of CHANGELOG.md has the same version. */
#define SWIFTODT_VERSION "0.1.0"
/* The address of the project's web page. It is a placeholder until the project has a web page. */
#define SWIFTODT_PAGE "https://swiftodt.example"
