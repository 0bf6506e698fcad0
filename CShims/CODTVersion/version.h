#pragma once

/* The version of the plugin and of odt, as in the first entry of CHANGELOG.md. */
#define SWIFTODT_VERSION "0.1.0"
/* A placeholder until the project has a web page. */
#define SWIFTODT_PAGE "https://swiftodt.example"
