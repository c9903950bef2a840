/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SEPARATED_PLAN_H
#define SEPARATED_PLAN_H

#include "model/plan.h"

/* false: reported on stderr. */
bool separated_plan(struct plan *plan);

#endif
