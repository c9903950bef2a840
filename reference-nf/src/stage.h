/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The contract of a stage. A stage knows neither which execution model runs it nor where packets come from.
 *
 * What a stage reads and what it writes are apart: `tables` (routes, rules, back ends) are made of its settings, are
 * the same for every instance, and are replaced as a whole when the configuration is read again; an instance holds
 * what the packets themselves leave behind (flows, counters) and belongs to one thread at a time.
 */
#ifndef STAGE_H
#define STAGE_H

#include <stdint.h>
#include <stdio.h>

#include "packet/batch.h"
#include "config/config.h"
#include "rcu_tables.h"
#include "table/flow_table.h"

#define STAGE_PROCESS __attribute__((noinline)) /* found by its name in a profile */
#define STAGE_MAX_INSTANCES 8u

/* A stage's outcomes are one list, #define X_OUTCOMES(OUTCOME) of OUTCOME(id, name, kind): these make its enum and its
 * nalm_outcome_spec of it. */
#define STAGE_OUTCOME_ID(id, name, kind) id,
#define STAGE_OUTCOME_SPEC(id, name, kind) [id] = {name, kind},

/* Which instance this is, and what all stages are told alike. */
struct stage_place {
	uint32_t index, count; /* of the stage's instances: what cannot be shared (ports of a pool) is split by them */
	uint64_t seed;	       /* varies where tables lie in memory, never what they hold */
	int socket;
	enum flow_table_kind hash; /* of flow tables */
	bool prefetch;		   /* false: one packet after another, no prefetch */
	uint8_t note;		   /* the stage's slot in flow_path.notes */
};

/* Whose a packet is when several instances of a stage share out the flows. */
struct stage_owner {
	struct flow_key key; /* of the flow's end that is the same in both directions */
	int32_t instance;    /* 0 and more: this instance in any case; OWNER_BY_KEY; OWNER_ANY */
};
#define OWNER_BY_KEY (-1)
#define OWNER_ANY (-2) /* the packet touches no flow */

/* What a stage may have beside its work on packets. Where nothing else is said, each may be NULL. */
struct stage_hooks {
	/* Settings, of every stage. Text to settings: mistakes go to config_mistake(); the caller asks
	 * config_mistakes(). NULL: no memory. */
	void *(*configure)(struct config *config);
	void (*release)(void *settings);

	/* Tables from settings, for so many instances; settings outlive them. NULL: said on stderr. A stage without
	 * tables has neither build nor destroy, the others have both. */
	void *(*build)(const void *settings, const struct stage_place *place);
	void (*inherit)(void *tables, const void *old); /* takes counts over; old is read by nobody else */
	void (*destroy)(void *tables);
	/* Keys of the stage's section that only instances are made of: they cannot change while packets pass. Ends with
	 * NULL. Without tables no key can. */
	const char *const *fixed_keys;
	/* What the tables hold, in a few words. */
	void (*describe)(const void *settings, char *text, size_t bytes);

	/* Of every stage with keeps_flows: tells the owner of each packet of the batch, out of count instances. Runs on
	 * the dispatching lcore beside the instances: it reads settings and tables only. */
	void (*owners)(const void *settings, const struct rcu_tables *rcu, const struct batch *batch, uint32_t count,
		       struct stage_owner owners[]);

	/* More members for the totals line, over all instances; reset forgets what report counts. */
	void (*report)(const struct rcu_tables *rcu, void *const instances[], uint32_t count, FILE *out);
	void (*reset)(const struct rcu_tables *rcu, void *const instances[], uint32_t count);
	/* Registers commands with rte_telemetry. Its handlers hold rcu_tables_lock. false: said on stderr. */
	bool (*register_telemetry)(const struct rcu_tables *rcu);
};

struct stage_ops {
	const char *name;
	const struct nalm_outcome_spec *outcomes; /* every way a packet can leave the stage; ends with a NULL name */
	bool keeps_flows; /* instances hold flows: what the variants of [model] state differ in */

	/* An instance. rcu holds the stage's tables; settings are those of the start, tables may be of later ones.
	 * NULL: said on stderr. */
	void *(*init)(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place);
	/* Gives every packet of the batch one outcome and settles it. now: virtual time in ns, rising. */
	void (*process)(void *instance, struct batch *batch, uint64_t now_ns);
	void (*fini)(void *instance);

	struct stage_hooks hooks;
};

extern const struct stage_ops nop_stage, nat_stage, dpi_stage, acl_stage, lb_stage, l3fwd_stage;

/* All stages there are; ends with NULL. */
extern const struct stage_ops *const stage_catalogue[];
const struct stage_ops *stage_find(const char *name, size_t length);

#endif
