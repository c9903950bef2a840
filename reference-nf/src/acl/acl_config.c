/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "acl/acl_config.h"
#include "acl/acl_generate.h"
#include "acl/acl_rule.h"
#include "config/config_lines.h"

struct reading {
	struct config *config;
	struct acl_settings *settings;
	const char *path;
};

static void read_line(void *reading, uint32_t line, char *text)
{
	const struct reading *r = reading;
	struct acl_rule rule = {.line = line};
	const char *wrong = acl_parse_rule(text, &rule);

	if (wrong != NULL)
		config_mistake_in_file(r->config, r->path, line, "%s", wrong);
	else if (r->settings->rule_count == ACL_RULES_MAX)
		config_mistake_in_file(r->config, r->path, line, "more than %u rules", ACL_RULES_MAX);
	else if (!acl_add_rule(r->settings, &rule))
		config_mistake_in_file(r->config, r->path, line, "no memory");
}

/* By priority, then by line. */
static int compare(const void *a, const void *b)
{
	const struct acl_rule *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Of two matching rules with the same priority, neither would have precedence. */
static void check_ties(struct config *config, const struct acl_settings *s, const char *path)
{
	if (s->rule_count == 0)
		return;
	qsort(s->rules, s->rule_count, sizeof(*s->rules), compare);
	for (uint32_t i = 1; i < s->rule_count; i++)
		if (s->rules[i].priority == s->rules[i - 1].priority)
			config_mistake_in_file(config, path, s->rules[i].line,
					       "line %u already has priority %u: give each rule a different one",
					       s->rules[i - 1].line, s->rules[i].priority);
}

static void read_rules(struct config *config, struct acl_settings *s)
{
	char *path = config_path(config, "acl", "rules");

	if (path == NULL) {
		config_mistake(config, "acl", "rules", "expected the name of a rules file");
		return;
	}
	config_read_lines(config, "acl", "rules", path, read_line, &(struct reading){config, s, path});
	check_ties(config, s, path);
	free(path);
}

void *acl_configure(struct config *config)
{
	static const char *const actions[] = {"deny", "permit", NULL};
	struct acl_settings *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->permit_default = config_choice(config, "acl", "default", "deny", actions) == 1;
	read_rules(config, s);
	acl_generate_rules(config, s);
	return s;
}
