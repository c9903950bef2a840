/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DPI_CACHE_H
#define DPI_CACHE_H

#include <stdint.h>

#include <hs.h>

/* The patterns as Hyperscan takes them; ids are indexes into settings->rules. */
struct dpi_patterns {
	const char **texts;
	unsigned int *flags, *ids;
	uint32_t count;
	hs_platform_info_t platform;
};

/* The database from the folder, where compiling thousands of patterns has left it before. NULL: it is not there. */
hs_database_t *dpi_cache_load(const char *folder, const struct dpi_patterns *patterns);
/* Leaves it there; what hinders that is said on stderr, and nothing else is lost. */
void dpi_cache_store(const char *folder, const struct dpi_patterns *patterns, const hs_database_t *database);

#endif
