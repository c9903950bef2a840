/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DPI_RULES_H
#define DPI_RULES_H

#include "config/config.h"
#include "dpi/dpi_settings.h"

/* The line of a file that is being read, for messages. */
struct dpi_place {
	struct config *config;
	struct dpi_settings *settings;
	const char *path;
	uint32_t line;
};

#define DPI_MISTAKE(at, ...) config_mistake_in_file((at)->config, (at)->path, (at)->line, __VA_ARGS__)

/* Calls read_line with each line of the file but comments and empty ones. A file that cannot be read is a mistake of
 * the section's key. */
void dpi_read_file(struct dpi_place *at, const char *section, const char *key,
		   void (*read_line)(struct dpi_place *, const char *));

/* The files of rules with and without L3/L4 part, the first as the key of the section names it; mistakes go to config. */
void dpi_read_rules(struct config *config, const char *section, const char *key, struct dpi_settings *settings);
void dpi_read_patterns(struct config *config, struct dpi_settings *settings);

#endif
