/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The contract of a stage. A stage knows neither which execution model runs it nor where packets come from.
 *
 * A stage separates what it reads from what it writes. Its `tables` (routes, rules, back ends) are made from its
 * settings, are the same for every instance, and are replaced as a whole when the configuration is read again. An
 * instance has the state that packets leave (flows, counters) and belongs to one thread at a time.
 */
#ifndef STAGE_H
#define STAGE_H

#include <stdint.h>
#include <stdio.h>

#include <rte_rcu_qsbr.h>

#include "packet/batch.h"
#include "config/config.h"
#include "rcu_tables.h"
#include "table/flow_table.h"

#define STAGE_PROCESS __attribute__((noinline)) /* a profile shows its name */
#define STAGE_MAX_INSTANCES 32u

/* A stage's outcomes are one list, #define X_OUTCOMES(OUTCOME) of OUTCOME(id, name, kind). These macros make its enum
 * and its nalm_outcome_spec. */
#define STAGE_OUTCOME_ID(id, name, kind) id,
#define STAGE_OUTCOME_SPEC(id, name, kind) [id] = {name, kind},

/* An instance's number, and settings that all stages share. */
struct stage_place {
	uint32_t index, count; /* of the stage's instances, which divide what they cannot share (ports of a pool) */
	uint64_t seed;	       /* varies the tables' place in memory, never their content */
	int socket;
	enum flow_table_kind hash; /* of flow tables */
	bool prefetch;		   /* false: one packet at a time, no prefetch */
	uint8_t note;		   /* the stage's slot in flow_path.notes */
	uint32_t flows; /* instances that divide the flows: of the chain's stage that has most; 0, 1: none do */
};

/* The owner of a packet when several instances of a stage divide the flows. */
struct stage_owner {
	struct flow_key key; /* of the flow's end that both directions share */
	int32_t instance;    /* 0 or more: this instance; OWNER_BY_KEY; OWNER_ANY */
};
#define OWNER_BY_KEY (-1)
#define OWNER_ANY (-2) /* the packet has no flow */

/* Optional functions of a stage. Each may be NULL unless noted. */
struct stage_hooks {
	/* Settings, required of every stage. configure reads text; mistakes go to config_mistake(), and the caller
	 * checks config_mistakes(). NULL: no memory. */
	void *(*configure)(struct config *config);
	void (*release)(void *settings);

	/* Makes tables from settings, for the given number of instances; settings outlive them. NULL: reported on
	 * stderr. A stage without tables has neither build nor destroy, other stages have both. */
	void *(*build)(const void *settings, const struct stage_place *place);
	void (*inherit)(void *tables, const void *old); /* takes counts over; nobody else reads old */
	void (*destroy)(void *tables);
	/* Keys of the stage's section that only instances use: they cannot change while packets pass. Ends with NULL.
	 * Without tables no key can change. */
	const char *const *fixed_keys;
	/* Describes the tables in a few words. */
	void (*describe)(const void *settings, char *text, size_t bytes);

	/* Required of stages with keeps_flows: determines the owner of each packet of the batch, out of count
	 * instances. Runs on the dispatching lcore in parallel to the instances: it reads only settings, tables, and
	 * what a control thread changes (RCU). */
	void (*owners)(const void *settings, const struct rcu_tables *rcu, const struct batch *batch, uint32_t count,
		       struct stage_owner owners[]);

	/* Flows that all instances together have room for. Required of stages whose owners() gives keys: the dispatching
	 * lcore keeps as many sessions at least. */
	uint32_t (*entries)(const void *settings);

	/* Adds members to the totals line, over all instances; reset clears these counts. */
	void (*report)(const struct rcu_tables *rcu, void *const instances[], uint32_t count, FILE *out);
	void (*reset)(const struct rcu_tables *rcu, void *const instances[], uint32_t count);
	/* Registers commands with rte_telemetry. Its handlers hold rcu_tables_lock. false: reported on stderr. */
	bool (*register_telemetry)(const struct rcu_tables *rcu);

	/* Work beside packets that changes what the instances share. Begins before the lcores run (readers: who they are)
	 * and ends after them. false: said on stderr. A stage has both or neither. */
	bool (*start_control)(const void *settings, const struct rcu_tables *rcu, struct rte_rcu_qsbr *readers);
	void (*stop_control)(void);
};

struct stage_ops {
	const char *name;
	const struct nalm_outcome_spec *outcomes; /* all outcomes of the stage; ends with a NULL name */
	bool keeps_flows; /* instances have flows, which [model] state distributes */

	/* Makes an instance. rcu holds the stage's tables; settings are those of the start, tables may have later ones.
	 * NULL: reported on stderr. */
	void *(*init)(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place);
	/* Gives every packet of the batch one outcome and settles the batch. now: virtual time in ns, which never falls
	 * for an instance of a stage that keeps flows; to others batches of several databases come in any order. */
	void (*process)(void *instance, struct batch *batch, uint64_t now_ns);
	void (*fini)(void *instance);

	struct stage_hooks hooks;
};

extern const struct stage_ops nop_stage, nat_stage, dpi_stage, acl_stage, lb_stage, l3fwd_stage, openflow_stage, l2fwd_stage, pbb_stage;
extern const struct stage_ops gtp_decap_stage, pdr_stage, qer_stage, urr_stage, far_stage;

/* All stages; ends with NULL. */
extern const struct stage_ops *const stage_catalogue[];
const struct stage_ops *stage_find(const char *name, size_t length);

#endif
