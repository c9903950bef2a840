/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/offload.h"
#include "packet/batch.h"
#include "model/model_config.h"

static const char *const switched[] = {"off", "on", NULL};

/* Reports keys that exclude each other. */
static void check_together(const struct model_settings *m, struct config *config)
{
	if (m->kind == MODEL_PIPELINE && m->workers > 1)
		config_mistake(config, "model", "workers", "model pipeline has a worker per group; use model = rtc");
	if (m->kind == MODEL_PIPELINE && m->state != STATE_LOCKFREE)
		config_mistake(config, "model", "state", "model pipeline has each stage on one lcore: needs lockfree");
	if (m->kind == MODEL_RTC && config_text(config, "model", "groups", NULL) != NULL)
		config_mistake(config, "model", "groups", "only model = pipeline has groups");
	if (m->state != STATE_SEPARATED && m->databases > 1)
		config_mistake(config, "model", "databases", "only state = separated has database instances");
	if (m->flow_cache && (m->kind != MODEL_RTC || m->state != STATE_LOCKFREE))
		config_mistake(config, "chain", "flow_cache",
			       "needs model = rtc, state = lockfree: a flow's path is private to its worker");
	if (m->rss && (m->kind != MODEL_RTC || m->state == STATE_SEPARATED || m->workers == 1))
		config_mistake(config, "io", "offload",
			       "rss needs model = rtc with several workers, state = lockfree or locked: a queue is a worker's");
	if (m->ring_packets < m->batch_size * 2)
		config_mistake(config, "model", "ring", "must hold two batches of %u packets", m->batch_size);
	if ((m->ring_packets & (m->ring_packets - 1)) != 0)
		config_mistake(config, "model", "ring", "must be a power of two");
}

void model_configure(struct model_settings *m, struct config *config)
{
	static const char *const kinds[] = {"rtc", "pipeline", NULL};
	static const char *const states[] = {"lockfree", "locked", "separated", NULL};

	*m = (struct model_settings){0};
	m->kind = config_choice(config, "model", "model", "rtc", kinds);
	m->state = config_choice(config, "model", "state", "lockfree", states);
	m->workers = (uint32_t)config_u64(config, "model", "workers", 1, 1, MODEL_MAX_WORKERS);
	m->databases = (uint32_t)config_u64(config, "model", "databases", 1, 1, MODEL_MAX_DATABASES);
	m->ring_packets = (uint32_t)config_u64(config, "model", "ring", 1024, 2, 1u << 16);
	m->sessions = (uint32_t)config_u64(config, "model", "sessions", 65536, 1, 1u << 24);
	m->session_timeout_ns = config_u64(config, "model", "session_timeout_s", 7440, 1, 365u * 24 * 3600) * UINT64_C(1000000000);
	m->batch_size = (uint32_t)config_u64(config, "chain", "batch", 64, 1, BATCH_MAX);
	m->hash = config_choice(config, "chain", "hash", "signature", flow_table_kinds);
	m->prefetch = config_choice(config, "chain", "prefetch", "on", switched) == 1;
	m->flow_cache = config_choice(config, "chain", "flow_cache", "off", switched) == 1;
	m->rss = (offload_read(config) & OFFLOAD_RSS) != 0;
	check_together(m, config);
}
