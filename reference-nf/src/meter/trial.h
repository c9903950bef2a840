/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Trials: an agent sets through the traffic file (probe/nalm_traffic.h) what is sent from turn to turn, and reads the
 * results there.
 */
#ifndef TRIAL_H
#define TRIAL_H

#include "meter/sink.h"
#include "nalm_traffic.h"

struct trial {
	struct nalm_traffic *file; /* NULL: no trials */
	struct nalm_traffic_totals before; /* totals when the current trial began, to be subtracted */
};

/* Opens the file that the environment names, if any. false: reported on stderr. */
bool trial_open(struct trial *trial);
void trial_close(struct trial *trial);
/* Applies the file's settings when a turn begins. Call it before the generator and the sink start. */
void trial_begin(struct trial *trial, struct generator *generator, struct sink *sink);
/* Writes the trial's results so far, before the lcore parks. */
void trial_publish(const struct trial *trial, const struct generator *generator, const struct sink *sink);

#endif
