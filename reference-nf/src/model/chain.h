/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stages of this run in pass order, and what has become of packets in each: what every execution model runs.
 */
#ifndef CHAIN_H
#define CHAIN_H

#include <stdint.h>
#include <stdio.h>

#include "stage.h"

#define CHAIN_MAX_STAGES 8u
#define CHAIN_FIXED_STAGES 4u /* generator, rx before; tx, sink after */
#define CHAIN_MAX_PROBED (CHAIN_MAX_STAGES + CHAIN_FIXED_STAGES)

/* Raw and cumulative. Written by the lcore that runs the stage: no two stages share a cache line. */
struct stage_totals {
	uint64_t packets;
	uint64_t outcomes[NALM_PROBE_MAX_OUTCOMES];
} __attribute__((aligned(64)));

struct chain_stage {
	const struct stage_ops *ops;
	void *settings; /* owned by the catalogue of settings in main */
	void *state;
	uint32_t go_on; /* bit set of outcomes of kind PASS */
};

struct chain {
	struct chain_stage stages[CHAIN_MAX_STAGES];
	uint32_t count;
	struct nalm_stage_spec probed[CHAIN_MAX_PROBED + 1]; /* all, with generator, rx, tx, sink; index = probe's stage */
	uint32_t probed_count;
	struct stage_totals totals[CHAIN_MAX_PROBED];
};

enum { CHAIN_GENERATOR = 0, CHAIN_RX = 1, CHAIN_FIRST = 2 };

static inline uint32_t chain_tx(const struct chain *c)
{
	return CHAIN_FIRST + c->count;
}

static inline uint32_t chain_sink(const struct chain *c)
{
	return CHAIN_FIRST + c->count + 1;
}

/* Reads [chain] stages; mistakes go to config. */
void chain_configure(struct chain *chain, struct config *config);
/* Makes the tables. false: said on stderr. */
bool chain_init(struct chain *chain, uint64_t seed);
void chain_fini(struct chain *chain);
void chain_reset_totals(struct chain *chain);

/* Packets of a kind over all stages of the NF (generator and sink not counted). */
uint64_t chain_sum(const struct chain *chain, enum nalm_outcome_kind kind);
/* in = sent + policy + lost + bad; and in each stage the outcomes add up to the packets it was handed. */
bool chain_balanced(const struct chain *chain);

#endif
