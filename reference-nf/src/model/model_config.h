/* SPDX-License-Identifier: BSD-3-Clause
 *
 * [model] and the variants of [chain]: how stages are distributed over lcores, and who owns the flows.
 */
#ifndef MODEL_CONFIG_H
#define MODEL_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "table/flow_table.h"

#define CHAIN_MAX_STAGES 8u
#define MODEL_MAX_WORKERS 32u
#define MODEL_MAX_DATABASES 4u
/* dispatch, workers, databases, the role that restores order, traffic */
#define MODEL_MAX_ROLES (MODEL_MAX_WORKERS + MODEL_MAX_DATABASES + 3u)

enum model_kind { MODEL_RTC, MODEL_PIPELINE };
enum model_state { STATE_LOCKFREE, STATE_LOCKED, STATE_SEPARATED };

struct model_settings {
	enum model_kind kind;
	enum model_state state;
	uint32_t workers;
	uint32_t databases;
	uint32_t group_end[CHAIN_MAX_STAGES]; /* of the pipeline: each group's last stage + 1 */
	uint32_t group_count;
	uint32_t ring_packets; /* room in a ring between lcores; a power of two */
	uint32_t sessions;     /* the dispatching lcore's session table */
	uint64_t session_timeout_ns;
	enum flow_table_kind hash;
	uint32_t batch_size;
	bool prefetch;
	bool flow_cache;
	bool rss; /* workers receive, each from a queue of its own ([io] offload) */
};

/* Reads all keys but the groups, which pipeline_configure() reads. Mistakes go to config. */
void model_configure(struct model_settings *settings, struct config *config);

/* Whether one lcore dispatches packets to others. */
static inline bool model_dispatches(const struct model_settings *m)
{
	return m->kind == MODEL_RTC && !m->rss && (m->workers > 1 || m->state == STATE_SEPARATED);
}

static inline bool model_hands_over(const struct model_settings *m)
{
	return m->kind == MODEL_PIPELINE || model_dispatches(m);
}

#endif
