/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All patterns as one Hyperscan database, and one code path that scans with it on every host.
 */
#ifndef DPI_MATCHER_H
#define DPI_MATCHER_H

#include <hs.h>

#include "dpi/dpi_settings.h"

typedef hs_error_t (*dpi_scan)(const hs_database_t *, const char *, unsigned int, unsigned int, hs_scratch_t *,
			       match_event_handler, void *);

struct dpi_matcher {
	hs_database_t *database; /* NULL: no rule has a pattern */
	dpi_scan scan;
};

/* false: reported on stderr, with the rule that is at fault. */
bool dpi_matcher_open(struct dpi_matcher *matcher, const struct dpi_settings *settings);
void dpi_matcher_close(struct dpi_matcher *matcher);

#endif
