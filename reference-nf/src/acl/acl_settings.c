/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "acl/acl_settings.h"

bool acl_add_rule(struct acl_settings *s, const struct acl_rule *rule)
{
	uint32_t n = s->rule_count;

	if (n == 0 || (n & (n - 1)) == 0) { /* grows at powers of two */
		struct acl_rule *grown = realloc(s->rules, (n == 0 ? 1 : (size_t)n * 2) * sizeof(*grown));
		if (grown == NULL)
			return false;
		s->rules = grown;
	}
	s->rules[s->rule_count++] = *rule;
	return true;
}

void acl_release(void *settings)
{
	struct acl_settings *s = settings;

	free(s->rules);
	free(s);
}
