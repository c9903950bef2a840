/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DPI_CONFIG_H
#define DPI_CONFIG_H

#include <stdint.h>

#include "config/config.h"

#define DPI_RULE_NAME 32

/* By rising severity: the worst of the matching rules decides. */
enum dpi_action { DPI_NONE, DPI_PASS, DPI_MARK, DPI_DROP };

struct dpi_rule {
	char id[DPI_RULE_NAME];
	enum dpi_action action;
	char *pattern;
	uint32_t line;
};

struct dpi_settings {
	char *path; /* of the pattern file, for messages */
	struct dpi_rule *rules;
	uint32_t rule_count;
	uint8_t mark_dscp;
};

void *dpi_configure(struct config *config);
void dpi_release(void *settings);

#endif
