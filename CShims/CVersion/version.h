#pragma once

/* The version of the plugin and of odt. The first entry of CHANGELOG.md has the same version. */
#define SWIFTODT_VERSION "0.1.0"
/* The project's page. A placeholder until the project has one. */
#define SWIFTODT_PAGE "https://swiftodt.example"
