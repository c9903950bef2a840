/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything the configuration says, read and checked before anything is started.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "io/traffic_config.h"
#include "model/chain.h"
#include "options.h"

#define SETTINGS_MAX_STAGES 16u

struct settings {
	struct model_settings model;
	struct traffic_settings *traffic;
	void *stages[SETTINGS_MAX_STAGES]; /* by place in stage_catalogue; NULL: not configured */
	void *flow_cache;		   /* NULL: off */
};

/* Fills settings and the chain's list of stages. false: every mistake is on stderr. */
bool settings_read(struct settings *settings, struct chain *chain, const struct options *options);
void settings_free(struct settings *settings);

#endif
