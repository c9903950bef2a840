/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "model/plan.h"

/* Reads [model] groups: each stage of its own if there are none. */
void pipeline_configure(struct model_settings *model, const struct chain *chain, struct config *config);
/* false: said on stderr. */
bool pipeline_plan(struct plan *plan);

#endif
