/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "model/plan.h"

/* Reads [model] groups. Without the key each stage is a group. */
void pipeline_configure(struct model_settings *model, const struct chain *chain, struct config *config);
/* false: reported on stderr. */
bool pipeline_plan(struct plan *plan);

#endif
