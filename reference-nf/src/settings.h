/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The whole configuration, read and checked before anything starts.
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "hop/hop_settings.h"
#include "io/io.h"
#include "traffic/traffic_config.h"
#include "model/chain.h"
#include "options.h"

#define SETTINGS_MAX_STAGES 16u

struct settings {
	struct model_settings model;
	struct traffic_settings *traffic;
	struct hop_settings *hop;
	struct fragments_settings fragments;
	void *stages[SETTINGS_MAX_STAGES]; /* by place in stage_catalogue; NULL: not configured */
	void *flow_cache;		   /* NULL: off */
	struct config *config;		   /* the text of all of these */
};

/* Fills settings and the chain's list of stages. false: every mistake is on stderr. */
bool settings_read(struct settings *settings, struct chain *chain, const struct options *options);
/* The same while the chain runs: reads and checks everything, changes nothing. */
bool settings_read_again(struct settings *settings, const struct chain *running, const struct options *options);
/* Reports on stderr which keys have changed since the start and cannot change while packets pass. */
void settings_say_fixed(const struct settings *start, const struct settings *now, const struct chain *running);
void settings_free(struct settings *settings);

/* What packets come by; without a seed, a limit and a sign to stop. */
struct io_settings settings_of_io(const struct settings *settings);

const void *settings_of_stage(const struct settings *settings, const struct stage_ops *ops);

#endif
