/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "dpi/dpi_settings.h"

bool dpi_add_rule(struct dpi_settings *s, const struct dpi_rule *rule)
{
	if ((s->rule_count & (s->rule_count - 1)) == 0) { /* grows at powers of two */
		size_t room = s->rule_count == 0 ? 1 : (size_t)s->rule_count * 2;
		struct dpi_rule *grown = realloc(s->rules, room * sizeof(*grown));
		if (grown == NULL)
			return false;
		s->rules = grown;
	}
	s->rules[s->rule_count++] = *rule;
	return true;
}

void dpi_release(void *settings)
{
	struct dpi_settings *s = settings;
	for (uint32_t i = 0; i < s->rule_count; i++)
		free(s->rules[i].pattern);
	free(s->rules);
	free(s->rules_path);
	free(s->patterns_path);
	free(s->services_path);
	free(s->services);
	free(s->service_of);
	free(s->cache);
	free(s);
}
