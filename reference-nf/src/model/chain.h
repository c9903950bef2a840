/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The chain that every execution model runs: the stages in pass order, their tables and instances, and the outcomes of
 * packets in each.
 */
#ifndef CHAIN_H
#define CHAIN_H

#include <stdint.h>
#include <stdio.h>

#include "model/model_config.h"
#include "stage.h"

/* The NF's work apart from the chain's own stages; each is a stage of the probe where the model has it. */
enum chain_part {
	PART_GENERATOR,
	PART_NIC,
	PART_RX,
	PART_DISPATCH,
	PART_HANDOVER_IN,
	PART_ORDER,
	PART_HANDOVER_OUT,
	PART_TX,
	PART_SINK,
	CHAIN_PARTS,
};

#define CHAIN_MAX_PROBED (CHAIN_MAX_STAGES + CHAIN_PARTS - 1) /* settings.c: nic and order have one place */
_Static_assert(CHAIN_MAX_PROBED <= NALM_PROBE_MAX_STAGES, "room in the probe for all");
_Static_assert(MODEL_MAX_ROLES <= NALM_PROBE_MAX_LCORES, "an lcore for each role");
_Static_assert(MODEL_MAX_WORKERS <= STAGE_MAX_INSTANCES, "an instance for each worker");

/* Raw and cumulative. */
struct stage_totals {
	uint64_t packets;
	uint64_t outcomes[NALM_PROBE_MAX_OUTCOMES];
};

/* What has become of packets as one role saw it: its only writer. By the probe's number of the stage. */
struct ledger {
	struct stage_totals stages[CHAIN_MAX_PROBED];
} __attribute__((aligned(64)));

struct chain_stage {
	const struct stage_ops *ops;
	void *settings; /* owned by struct settings */
	struct rcu_tables rcu;
	struct stage_place place; /* for building tables */
	void *instances[STAGE_MAX_INSTANCES];
	uint32_t instance_count;
	uint32_t go_on; /* bit set of outcomes of kind PASS */
	uint32_t probed; /* its number in the probe */
};

struct chain {
	struct chain_stage stages[CHAIN_MAX_STAGES];
	uint32_t count;
	uint32_t flows_first, flows_end; /* the stages that keep flows are in [first, end); end 0: none */
	struct nalm_stage_spec probed[CHAIN_MAX_PROBED + 1]; /* in pass order; index = the probe's number of a stage */
	uint32_t probed_count;
	uint32_t at[CHAIN_PARTS]; /* the probe's number of a part this model has */
	struct ledger ledgers[MODEL_MAX_ROLES];
};

/* Reads [chain] stages; mistakes go to config. */
void chain_configure(struct chain *chain, struct config *config, bool flow_cache);
/* Makes tables and instances: flow_instances of stages that keep flows, one per worker of others. false: reported on
 * stderr. */
bool chain_init(struct chain *chain, const struct model_settings *model, uint64_t seed);
void chain_fini(struct chain *chain);
/* What stages do beside packets. false: said on stderr, and nothing of it runs. */
bool chain_start_control(const struct chain *chain, struct rte_rcu_qsbr *readers);
void chain_stop_control(const struct chain *chain);
/* The first stage that keeps flows, or NULL. */
const struct chain_stage *chain_flow_stage(const struct chain *chain);

void chain_reset_totals(struct chain *chain);
/* A stage's totals over all roles. */
struct stage_totals chain_totals(const struct chain *chain, uint32_t probed);
/* Packets of a kind over all stages of the NF, generator and sink excluded. */
uint64_t chain_sum(const struct chain *chain, enum nalm_outcome_kind kind);
/* Checks in = sent + policy + lost + bad, and that each stage's outcomes add up to its packets. */
bool chain_balanced(const struct chain *chain);

#endif
