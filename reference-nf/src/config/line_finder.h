/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds line numbers in an INI file, which rte_cfgfile does not keep.
 */
#ifndef LINE_FINDER_H
#define LINE_FINDER_H

#include <stdint.h>

/* Line of the last `key = ...` of the section; 1 if it is not found. */
uint32_t find_config_line(const char *path, const char *section, const char *key);
/* Line of the first (which = 1), second... `[section]`; 1 if it is not found. */
uint32_t find_section_line(const char *path, const char *section, uint32_t which);
/* First line that is neither blank, comment, [section] nor key = value; 0 if there is none. */
uint32_t find_bad_line(const char *path);

#endif
