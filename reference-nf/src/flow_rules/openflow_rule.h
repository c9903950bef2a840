/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A line of the file of rules.
 */
#ifndef OPENFLOW_RULE_H
#define OPENFLOW_RULE_H

#include "flow_rules/openflow_line.h"

/* Adds what the line says, or says what is wrong with it. text: without a comment; changed. */
void openflow_read_line(const struct openflow_line *line, char *text);

#endif
