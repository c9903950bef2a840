/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The contract of a stage. A stage knows neither which execution model runs it nor where packets come from.
 */
#ifndef STAGE_H
#define STAGE_H

#include <stdint.h>
#include <stdio.h>

#include "batch.h"
#include "config/config.h"

#define STAGE_PROCESS __attribute__((noinline)) /* found by its name in a profile */

struct stage_ops {
	const char *name;
	const struct nalm_outcome_spec *outcomes; /* every way a packet can leave the stage; ends with a NULL name */
	/* Text to settings. Mistakes go to config_mistake(); the caller asks config_mistakes(). NULL: no memory. */
	void *(*configure)(struct config *config);
	/* Tables from settings. seed varies where they lie in memory, never what they hold. NULL: said on stderr. */
	void *(*init)(const void *settings, uint64_t seed);
	/* Gives every packet of the batch one outcome and settles it. now: virtual time in ns, rising. */
	void (*process)(void *state, struct batch *batch, uint64_t now_ns);
	void (*fini)(void *state);
	void (*release)(void *settings);
	void (*report)(const void *state, FILE *out); /* may be NULL: more members for the totals line */
	void (*reset)(void *state);		      /* may be NULL: forgets what report() counts */
};

extern const struct stage_ops nop_stage, nat_stage, dpi_stage, l3fwd_stage;

/* All stages there are; ends with NULL. */
extern const struct stage_ops *const stage_catalogue[];
const struct stage_ops *stage_find(const char *name, size_t length);

#endif
