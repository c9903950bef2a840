/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All patterns as one Hyperscan database, and the one code path that scans with it on every host.
 */
#ifndef DPI_MATCHER_H
#define DPI_MATCHER_H

#include <hs.h>

#include "dpi/dpi_config.h"

typedef hs_error_t (*dpi_scan)(const hs_database_t *, const char *, unsigned int, unsigned int, hs_scratch_t *,
			       match_event_handler, void *);

/* The patterns as Hyperscan takes them; ids are indexes into settings->rules. */
struct dpi_patterns {
	const char **texts;
	unsigned int *flags, *ids;
	uint32_t count;
	hs_platform_info_t platform;
};

struct dpi_matcher {
	hs_database_t *database; /* NULL: no rule has a pattern */
	dpi_scan scan;
};

/* false: said on stderr, naming the rule that is at fault. */
bool dpi_matcher_open(struct dpi_matcher *matcher, const struct dpi_settings *settings);
void dpi_matcher_close(struct dpi_matcher *matcher);

/* The database from the folder, where compiling thousands of patterns has left it before. NULL: it is not there. */
hs_database_t *dpi_cache_load(const char *folder, const struct dpi_patterns *patterns);
/* Leaves it there; what hinders that is said on stderr, and nothing else is lost. */
void dpi_cache_store(const char *folder, const struct dpi_patterns *patterns, const hs_database_t *database);

#endif
