/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpi/dpi_config.h"

static enum dpi_action parse_action(const char *text)
{
	if (strcmp(text, "pass") == 0)
		return DPI_PASS;
	if (strcmp(text, "mark") == 0)
		return DPI_MARK;
	return strcmp(text, "drop") == 0 ? DPI_DROP : DPI_NONE;
}

static bool id_taken(const struct dpi_settings *s, const char *id)
{
	for (uint32_t i = 0; i < s->rule_count; i++)
		if (strcmp(s->rules[i].id, id) == 0)
			return true;
	return false;
}

static bool add_rule(struct dpi_settings *s, const char *id, enum dpi_action action, const char *pattern,
		     uint32_t line)
{
	struct dpi_rule *grown = realloc(s->rules, (s->rule_count + 1) * sizeof(*grown));
	if (grown == NULL)
		return false;
	s->rules = grown;
	struct dpi_rule *rule = &grown[s->rule_count];
	snprintf(rule->id, sizeof(rule->id), "%s", id);
	rule->action = action;
	rule->line = line;
	rule->pattern = strdup(pattern);
	if (rule->pattern == NULL)
		return false;
	s->rule_count++;
	return true;
}

static void read_line(struct config *config, struct dpi_settings *s, uint32_t line, char *text)
{
	char id[DPI_RULE_NAME], action[8];
	int pattern = 0;

	text[strcspn(text, "\r\n")] = '\0';
	if (text[0] == '\0' || text[0] == '#')
		return;
	if (sscanf(text, "%31[A-Za-z0-9_.-] %7s %n", id, action, &pattern) != 2 || text[pattern] == '\0')
		config_mistake_in_file(config, s->path, line, "expected `id action pattern`");
	else if (parse_action(action) == DPI_NONE)
		config_mistake_in_file(config, s->path, line, "action %s: expected pass, mark or drop", action);
	else if (id_taken(s, id))
		config_mistake_in_file(config, s->path, line, "rule %s stands in this file already", id);
	else if (!add_rule(s, id, parse_action(action), text + pattern, line))
		config_mistake_in_file(config, s->path, line, "no memory");
}

static void read_rules(struct config *config, struct dpi_settings *s)
{
	char text[1024];
	uint32_t line = 0;
	FILE *file = fopen(s->path, "r");

	if (file == NULL) {
		config_mistake(config, "dpi", "patterns", "cannot read %s: %s", s->path, strerror(errno));
		return;
	}
	while (fgets(text, sizeof(text), file) != NULL)
		read_line(config, s, ++line, text);
	fclose(file);
	if (s->rule_count == 0)
		config_mistake(config, "dpi", "patterns", "%s has no rule", s->path);
}

void *dpi_configure(struct config *config)
{
	struct dpi_settings *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->mark_dscp = (uint8_t)config_u64(config, "dpi", "mark_dscp", 8, 0, 63);
	s->path = config_path(config, "dpi", "patterns");
	if (s->path == NULL)
		config_mistake(config, "dpi", "patterns", "expected the name of a file with rules");
	else
		read_rules(config, s);
	return s;
}

void dpi_release(void *settings)
{
	struct dpi_settings *s = settings;
	for (uint32_t i = 0; i < s->rule_count; i++)
		free(s->rules[i].pattern);
	free(s->rules);
	free(s->path);
	free(s);
}
