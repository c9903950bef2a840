/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openflow/openflow_config.h"
#include "openflow/openflow_generate.h"
#include "flow_rules/openflow_rule.h"

static void read_lines(struct config *config, struct openflow_settings *s, const char *path, FILE *file)
{
	struct openflow_line line = {.config = config, .settings = s, .path = path};
	char *text = NULL;
	size_t room = 0;

	while (getline(&text, &room, file) >= 0) {
		line.number++;
		text[strcspn(text, "#\r\n")] = '\0';
		openflow_read_line(&line, text);
	}
	free(text);
}

static void read_rules(struct config *config, struct openflow_settings *s)
{
	char *path = config_path(config, "openflow", "rules");

	if (path == NULL) {
		config_mistake(config, "openflow", "rules", "expected the name of a file with flow entries");
		return;
	}
	FILE *file = fopen(path, "r");
	if (file == NULL) {
		config_mistake(config, "openflow", "rules", "cannot read %s: %s", path, strerror(errno));
	} else {
		read_lines(config, s, path, file);
		fclose(file);
	}
	free(path);
}

void *openflow_configure(struct config *config)
{
	static const char *const modes[] = {"interpreted", "specialised", NULL};
	struct openflow_settings *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->control = config_path(config, "openflow", "control");
	s->changeable = s->control != NULL;
	s->mode = config_choice(config, "openflow", "mode", "specialised", modes);
	openflow_generate_groups(config, s);
	read_rules(config, s);
	openflow_generate_prefixes(config, s);
	if (!openflow_sort_entries(s))
		config_mistake(config, "openflow", "rules", "no memory");
	return s;
}
