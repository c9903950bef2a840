/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_config.h"
#include "acl/acl_generate.h"
#include "acl/acl_rule.h"

static void read_line(struct config *config, struct acl_settings *s, const char *path, uint32_t line, char *text)
{
	struct acl_rule rule = {.line = line};

	text[strcspn(text, "#\r\n")] = '\0';
	if (text[strspn(text, " \t")] == '\0')
		return;
	const char *wrong = acl_parse_rule(text, &rule);
	if (wrong != NULL)
		config_mistake_in_file(config, path, line, "%s", wrong);
	else if (s->rule_count == ACL_RULES_MAX)
		config_mistake_in_file(config, path, line, "more than %u rules", ACL_RULES_MAX);
	else if (!acl_add_rule(s, &rule))
		config_mistake_in_file(config, path, line, "no memory");
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
	char text[512];
	uint32_t line = 0;

	if (path == NULL) {
		config_mistake(config, "acl", "rules", "expected the name of a rules file");
		return;
	}
	FILE *file = fopen(path, "r");
	if (file == NULL) {
		config_mistake(config, "acl", "rules", "cannot read %s: %s", path, strerror(errno));
	} else {
		while (fgets(text, sizeof(text), file) != NULL)
			read_line(config, s, path, ++line, text);
		fclose(file);
		check_ties(config, s, path);
	}
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
