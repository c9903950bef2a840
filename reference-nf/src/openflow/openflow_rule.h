/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A line of the file of rules.
 */
#ifndef OPENFLOW_RULE_H
#define OPENFLOW_RULE_H

#include "config/config.h"
#include "openflow/openflow_settings.h"

/* Where a line stands, and what it is added to. */
struct openflow_line {
	struct config *config;
	struct openflow_settings *settings;
	const char *path;
	uint32_t number;
	bool match_alone; /* of a flow: no instructions follow */
	char *why;	  /* OPENFLOW_WHY_BYTES: what is wrong is told here, and not by config; NULL: by config */
};

#define OPENFLOW_WHY_BYTES 256u

/* Adds what the line says, or says what is wrong with it. text: without a comment; changed. */
void openflow_read_line(const struct openflow_line *line, char *text);

#endif
