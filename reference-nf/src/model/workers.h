/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WORKERS_H
#define WORKERS_H

#include "model/plan.h"

/* false: reported on stderr. */
bool workers_plan(struct plan *plan, uint64_t seed);

#endif
