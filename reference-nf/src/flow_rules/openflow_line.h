/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A line of the file of rules, and what all who read it share.
 */
#ifndef OPENFLOW_LINE_H
#define OPENFLOW_LINE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

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

/* Tells what is wrong with the line, and is false. */
static inline bool wrong(const struct openflow_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline bool wrong(const struct openflow_line *line, const char *format, ...)
{
	char text[OPENFLOW_WHY_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (line->why != NULL)
		memcpy(line->why, text, sizeof(text));
	else
		config_mistake_in_file(line->config, line->path, line->number, "%s", text);
	return false;
}

/* Decimal, or hexadecimal behind 0x. */
static inline bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	char *end;
	bool hexadecimal = text[0] == '0' && text[1] == 'x';

	if (hexadecimal)
		text += 2;
	size_t length = strspn(text, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789");
	*number = strtoull(text, &end, hexadecimal ? 16 : 10);
	return length != 0 && text[length] == '\0' && length <= (hexadecimal ? 16 : 19) && *number >= min && *number <= max;
}

#endif
