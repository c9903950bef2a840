/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOTALS_H
#define TOTALS_H

#include <stdio.h>

#include "meter/sink.h"
#include "model/plan.h"

/* One line of JSON: the outcome of every packet. Cycles are the probe's; a build without stage marks has none. */
void totals_print(FILE *out, const struct plan *plan, const struct sink *sink, const struct nalm_probe *probe,
		  bool balanced);

#endif
