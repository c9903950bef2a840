/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOTALS_H
#define TOTALS_H

#include <stdio.h>

#include "meter/sink.h"
#include "model/plan.h"

/* One line of JSON: what became of every packet. Cycles are the probe's, absent in a build without its stages. */
void totals_print(FILE *out, const struct plan *plan, const struct sink *sink, const struct nalm_probe *probe,
		  bool balanced);

#endif
