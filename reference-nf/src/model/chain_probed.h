/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHAIN_PROBED_H
#define CHAIN_PROBED_H

#include "model/chain.h"

/* Numbers the stages and the parts that the model has. outside: there is no generator and no sink.
 * traffic_alone: there is nothing else. */
void chain_name_probed(struct chain *chain, const struct model_settings *model, uint32_t offload, bool outside,
		       bool traffic_alone);

#endif
