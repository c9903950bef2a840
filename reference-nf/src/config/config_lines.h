/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of a file that the configuration names: rules, routes, stations.
 */
#ifndef CONFIG_LINES_H
#define CONFIG_LINES_H

#include "config/config.h"

/* Calls each for every line that has more than blanks, without the comment that begins with `#`. A line has any length:
 * of a part of one, the end would be a line of its own. A file that cannot be read is a mistake in the key. */
void config_read_lines(struct config *config, const char *section, const char *key, const char *path,
		       void (*each)(void *reader, uint32_t line, char *text), void *reader);

#endif
