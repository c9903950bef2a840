/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow_cache/flow_cache.h"
#include "hop/hop_config.h"
#include "model/chain_probed.h"
#include "model/pipeline.h"
#include "model/plan_build.h"
#include "settings.h"

static struct chain_stage *in_chain(struct chain *chain, const struct stage_ops *ops)
{
	for (uint32_t i = 0; i < chain->count; i++)
		if (chain->stages[i].ops == ops)
			return &chain->stages[i];
	return NULL;
}

static bool chain_has(const struct chain *chain, const struct stage_ops *ops)
{
	return chain != NULL && in_chain((struct chain *)(uintptr_t)chain, ops) != NULL;
}

/* Also checks the settings of stages that do not run. */
static bool read_stages(struct settings *s, struct chain *chain, const struct chain *running, struct config *config)
{
	for (uint32_t i = 0; stage_catalogue[i] != NULL; i++) {
		const struct stage_ops *ops = stage_catalogue[i];
		struct chain_stage *stage = in_chain(chain, ops);
		if (stage == NULL && !config_has_section(config, ops->name) && !chain_has(running, ops))
			continue;
		s->stages[i] = ops->hooks.configure(config);
		if (s->stages[i] == NULL)
			return false;
		if (stage != NULL)
			stage->settings = s->stages[i];
	}
	if (!s->model.flow_cache && !config_has_section(config, flow_cache_stage.name))
		return true;
	s->flow_cache = flow_cache_stage.hooks.configure(config);
	if (s->model.flow_cache)
		chain->stages[0].settings = s->flow_cache;
	return s->flow_cache != NULL;
}

static struct config *load(const struct options *options)
{
	struct config *config = config_load(options->config);

	for (uint32_t i = 0; config != NULL && i < options->set_count; i++)
		config_override(config, options->sets[i]);
	return config;
}

static bool check_dump(const struct settings *s, const struct options *options)
{
	if (options->dump == NULL)
		return true;
	if (s->traffic->loop == TRAFFIC_FOREVER && options->packets == 0)
		fprintf(stderr, "--dump %s: needs --packets N or [traffic] loop = once\n", options->dump);
	else if (s->traffic->outside)
		fprintf(stderr, "--dump %s: there is no sink with [io] port = eal and with [hop] side = nf\n", options->dump);
	else
		return true;
	return false;
}

/* Gives the dispatching lcore a session for each flow of the stage. A session that it has to forget may be of a flow
 * that lives, whose next packet would then go to another worker, where it is a new one. */
static void fit_sessions(struct model_settings *m, const struct chain_stage *flows, struct config *config)
{
	if (flows == NULL || flows->ops->hooks.entries == NULL || !model_dispatches(m) || m->state != STATE_LOCKFREE)
		return;
	uint32_t entries = flows->ops->hooks.entries(flows->settings);
	if (m->sessions >= entries)
		return;
	if (config_text(config, "model", "sessions", NULL) == NULL)
		m->sessions = entries;
	else
		config_mistake(config, "model", "sessions",
			       "fewer than [%s] entries = %u: a flow whose session is forgotten would change its "
			       "worker; give as many, or leave sessions out",
			       flows->ops->name, entries);
}

static bool read_all(struct settings *s, struct chain *chain, const struct chain *running, const struct options *options)
{
	memset(s, 0, sizeof(*s));
	struct config *config = s->config = load(options);
	if (config == NULL)
		return false;
	model_configure(&s->model, config);
	chain_configure(chain, config, s->model.flow_cache);
	pipeline_configure(&s->model, chain, config);
	s->traffic = traffic_configure(config);
	s->hop = hop_configure(config);
	s->fragments = fragments_configure(config);
	if (s->traffic == NULL || s->hop == NULL || !read_stages(s, chain, running, config)) {
		fprintf(stderr, "no memory for the configuration\n");
		return false;
	}
	if (chain->count == CHAIN_MAX_STAGES && s->model.state == STATE_SEPARATED && s->traffic->offload != 0)
		config_mistake(config, "io", "offload", "state = separated leaves the probe no place for it with %u stages", chain->count);
	const struct chain_stage *flows = chain_flow_stage(chain);
	if (s->model.rss && s->model.state == STATE_LOCKFREE && flows != NULL)
		config_mistake(config, "io", "offload", "rss brings a flow's two directions to any two workers, and stage %s keeps them "
							"together: state = locked, or leave rss out", flows->ops->name);
	fit_sessions(&s->model, flows, config);
	if (s->hop->side == HOP_FIRST && plan_tx_queues(&s->model) != 1)
		config_mistake(config, "hop", "side", "side first needs a model in which one lcore sends");
	config_check_unknown(config);
	return config_mistakes(config) == 0 && check_dump(s, options);
}

bool settings_read(struct settings *s, struct chain *chain, const struct options *options)
{
	if (!read_all(s, chain, NULL, options))
		return false;
	chain_name_probed(chain, &s->model, s->traffic->offload, s->traffic->outside, s->hop->side == HOP_SWITCH);
	return true;
}

bool settings_read_again(struct settings *s, const struct chain *running, const struct options *options)
{
	struct chain *apart = calloc(1, sizeof(*apart));
	bool ok = apart != NULL && read_all(s, apart, running, options);

	if (apart == NULL)
		fprintf(stderr, "no memory for the configuration\n");
	free(apart);
	return ok;
}

static bool is_fixed(const struct stage_ops *ops, const char *key)
{
	if (ops->hooks.build == NULL)
		return true;
	for (uint32_t i = 0; ops->hooks.fixed_keys != NULL && ops->hooks.fixed_keys[i] != NULL; i++)
		if (strcmp(ops->hooks.fixed_keys[i], key) == 0)
			return true;
	return false;
}

static void say_if_fixed(void *running, const char *section, const char *key, const char *was, const char *is)
{
	const struct stage_ops *ops = stage_find(section, strlen(section));

	if (ops != NULL && (!chain_has(running, ops) || !is_fixed(ops, key)))
		return;
	fprintf(stderr, "reload: [%s] %s = %s: cannot change while packets pass; it stays %s until the next start\n", section,
		key, is == NULL ? "(not given)" : is, was == NULL ? "(not given)" : was);
}

void settings_say_fixed(const struct settings *start, const struct settings *now, const struct chain *running)
{
	config_compare(start->config, now->config, say_if_fixed, (void *)(uintptr_t)running);
}

const void *settings_of_stage(const struct settings *s, const struct stage_ops *ops)
{
	for (uint32_t i = 0; stage_catalogue[i] != NULL; i++)
		if (stage_catalogue[i] == ops)
			return s->stages[i];
	return NULL;
}

void settings_free(struct settings *s)
{
	for (uint32_t i = 0; stage_catalogue[i] != NULL; i++)
		if (s->stages[i] != NULL)
			stage_catalogue[i]->hooks.release(s->stages[i]);
	if (s->flow_cache != NULL)
		flow_cache_stage.hooks.release(s->flow_cache);
	traffic_release(s->traffic);
	hop_release(s->hop);
	config_free(s->config);
}

struct io_settings settings_of_io(const struct settings *s)
{
	return (struct io_settings){
		.batch_size = s->model.batch_size,
		.ring = s->traffic->ring,
		.queues = plan_tx_queues(&s->model),
		.rx_queues = plan_rx_queues(&s->model),
		.in_flight = plan_packets_in_rings(&s->model),
		.offload = s->traffic->offload,
		.is_outside = s->traffic->outside && !hop_shares_memory(s->hop),
		.fragments = s->fragments,
		.hop = s->hop,
	};
}
