/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DPI_CACHE_H
#define DPI_CACHE_H

#include <stdint.h>

#include <hs.h>

/* The patterns in Hyperscan's form; ids are indexes into settings->rules. */
struct dpi_patterns {
	const char **texts;
	unsigned int *flags, *ids;
	uint32_t count;
	hs_platform_info_t platform;
};

/* Loads the database of these patterns from the folder. NULL: the folder does not have it. */
hs_database_t *dpi_cache_load(const char *folder, const struct dpi_patterns *patterns);
/* Stores it in the folder. A failure is reported on stderr and has no other effect. */
void dpi_cache_store(const char *folder, const struct dpi_patterns *patterns, const hs_database_t *database);

#endif
