/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "flow_cache/flow_cache.h"
#include "model/plan.h"
#include "settings.h"

static struct chain_stage *in_chain(struct chain *chain, const struct stage_ops *ops)
{
	for (uint32_t i = 0; i < chain->count; i++)
		if (chain->stages[i].ops == ops)
			return &chain->stages[i];
	return NULL;
}

/* What a stage that does not run is configured with is checked as well. */
static bool read_stages(struct settings *s, struct chain *chain, struct config *config)
{
	for (uint32_t i = 0; stage_catalogue[i] != NULL; i++) {
		struct chain_stage *stage = in_chain(chain, stage_catalogue[i]);
		if (stage == NULL && !config_has_section(config, stage_catalogue[i]->name))
			continue;
		s->stages[i] = stage_catalogue[i]->configure(config);
		if (s->stages[i] == NULL)
			return false;
		if (stage != NULL)
			stage->settings = s->stages[i];
	}
	if (!s->model.flow_cache && !config_has_section(config, flow_cache_stage.name))
		return true;
	s->flow_cache = flow_cache_stage.configure(config);
	if (s->model.flow_cache)
		chain->stages[0].settings = s->flow_cache;
	return s->flow_cache != NULL;
}

bool settings_read(struct settings *s, struct chain *chain, const struct options *options)
{
	memset(s, 0, sizeof(*s));
	struct config *config = config_load(options->config);
	if (config == NULL)
		return false;
	for (uint32_t i = 0; i < options->set_count; i++)
		config_override(config, options->sets[i]);
	model_configure(&s->model, config);
	chain_configure(chain, config, s->model.flow_cache);
	pipeline_configure(&s->model, chain, config);
	s->traffic = traffic_configure(config);
	bool ok = s->traffic != NULL && read_stages(s, chain, config);
	if (!ok)
		fprintf(stderr, "no memory for the configuration\n");
	else
		config_check_unknown(config);
	ok = ok && config_mistakes(config) == 0;
	if (ok && options->dump != NULL && s->traffic->loop == TRAFFIC_FOREVER && options->packets == 0) {
		fprintf(stderr, "--dump %s: needs --packets N or [traffic] loop = once\n", options->dump);
		ok = false;
	}
	if (ok && options->dump != NULL && s->traffic->outside) {
		fprintf(stderr, "--dump %s: there is no sink with [io] port = eal\n", options->dump);
		ok = false;
	}
	config_free(config);
	if (ok)
		chain_name_probed(chain, &s->model, s->traffic->outside);
	return ok;
}

void settings_free(struct settings *s)
{
	for (uint32_t i = 0; stage_catalogue[i] != NULL; i++)
		if (s->stages[i] != NULL)
			stage_catalogue[i]->release(s->stages[i]);
	if (s->flow_cache != NULL)
		flow_cache_stage.release(s->flow_cache);
	traffic_release(s->traffic);
}
