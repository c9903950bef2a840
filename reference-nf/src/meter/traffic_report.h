/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The traffic and its measurements as names and numbers, for the totals line and for telemetry.
 */
#ifndef TRAFFIC_REPORT_H
#define TRAFFIC_REPORT_H

#include <stdio.h>

#include "meter/sink.h"

typedef void (*traffic_member)(void *to, const char *name, uint64_t value);
/* Calls member for each. It may be called while traffic runs: each number is read whole. */
void traffic_report(const struct generator *generator, const struct sink *sink, traffic_member member, void *to);
/* Prints a member of a JSON object, with a comma before it. */
void traffic_print(FILE *out, const struct generator *generator, const struct sink *sink);

#endif
