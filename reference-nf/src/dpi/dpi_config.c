/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "dpi/dpi_config.h"
#include "dpi/dpi_generate.h"
#include "dpi/dpi_rules.h"
#include "dpi/dpi_services.h"

static int by_id(const void *a, const void *b)
{
	const struct dpi_rule *left = *(const struct dpi_rule *const *)a, *right = *(const struct dpi_rule *const *)b;
	int order = strcmp(left->id, right->id);

	return order != 0 ? order : (left > right) - (left < right);
}

static void refuse_twins(struct config *config, const struct dpi_rule *first, const struct dpi_rule *second)
{
	if (second->path != NULL)
		config_mistake_in_file(config, second->path, second->line,
				       "rule %s is already in this file or the other", second->id);
	else
		config_mistake_in_file(config, first->path, first->line, "rule %s: a name of generated rules",
				       first->id);
}

/* Packets are charged to an id, so two rules cannot share one. */
static void check_ids(struct config *config, const struct dpi_settings *s)
{
	const struct dpi_rule **sorted = calloc(s->rule_count, sizeof(*sorted));

	if (sorted == NULL) {
		config_mistake(config, "dpi", "rules", "no memory to compare the names of %u rules", s->rule_count);
		return;
	}
	for (uint32_t i = 0; i < s->rule_count; i++)
		sorted[i] = &s->rules[i];
	qsort(sorted, s->rule_count, sizeof(*sorted), by_id);
	for (uint32_t i = 1; i < s->rule_count; i++)
		if (strcmp(sorted[i - 1]->id, sorted[i]->id) == 0)
			refuse_twins(config, sorted[i - 1], sorted[i]);
	free(sorted);
}

static void generate(struct config *config, struct dpi_settings *s)
{
	uint64_t seed = config_u64(config, "dpi", "generated_seed", 1, 0, UINT64_MAX);
	uint32_t rules = (uint32_t)config_u64(config, "dpi", "rules_generated", 0, 0, 200000);
	uint32_t patterns = (uint32_t)config_u64(config, "dpi", "patterns_generated", 0, 0, 200000);

	if (!dpi_generate_rules(s, rules, seed))
		config_mistake(config, "dpi", "rules_generated", "no memory");
	if (!dpi_generate_patterns(s, patterns, seed))
		config_mistake(config, "dpi", "patterns_generated", "no memory");
}

static void read_all(struct config *config, struct dpi_settings *s)
{
	uint32_t mistakes = config_mistakes(config);

	s->rules_path = config_path(config, "dpi", "rules");
	s->patterns_path = config_path(config, "dpi", "patterns");
	if (s->rules_path != NULL)
		dpi_read_rules(config, "dpi", "rules", s);
	if (s->patterns_path != NULL)
		dpi_read_patterns(config, s);
	generate(config, s);
	if (s->rule_count == 0 && config_mistakes(config) == mistakes)
		config_mistake(config, "dpi", "patterns", "there is no rule: name a file of patterns, or [dpi] rules");
	else if (s->rule_count >= DPI_RULES_MAX)
		config_mistake(config, "dpi", "patterns", "more than %u rules", DPI_RULES_MAX - 1);
	else if (s->rule_count != 0)
		check_ids(config, s);
}

void *dpi_configure(struct config *config)
{
	struct dpi_settings *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->mark_dscp = (uint8_t)config_u64(config, "dpi", "mark_dscp", 8, 0, 63);
	s->inspect_packets = (uint32_t)config_u64(config, "dpi", "inspect_packets", 0, 0, DPI_INSPECT_MAX);
	if (s->inspect_packets != 0 && strcmp(config_text(config, "chain", "flow_cache", "off"), "on") != 0)
		config_mistake(config, "dpi", "inspect_packets",
			       "needs [chain] flow_cache = on, which keeps a flow's verdict");
	s->cache = config_path(config, "dpi", "cache");
	read_all(config, s);
	dpi_services_configure(config, s);
	return s;
}
