/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The match of a flow entry as a line has it.
 */
#ifndef OPENFLOW_MATCH_H
#define OPENFLOW_MATCH_H

#include "flow_rules/openflow_line.h"

struct openflow_match {
	uint64_t values[OPENFLOW_FIELDS], masks[OPENFLOW_FIELDS];
	uint32_t fields; /* bit set */
};

/* `any` or fields with values. text is changed. false: the line's mistake is told. */
bool openflow_parse_match(const struct openflow_line *line, char *text, struct openflow_match *match);

#endif
