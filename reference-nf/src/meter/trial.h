/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Trials: an agent says through the traffic file (probe/nalm_traffic.h) what is sent from one turn to the next, and
 * reads there what became of it.
 */
#ifndef TRIAL_H
#define TRIAL_H

#include "meter/sink.h"
#include "nalm_traffic.h"

struct trial {
	struct nalm_traffic *file; /* NULL: nobody asked for trials */
	struct nalm_traffic_totals before; /* when the present trial began: to be taken off */
};

/* Opens the file the environment names, if it does. false: said on stderr. */
bool trial_open(struct trial *trial);
void trial_close(struct trial *trial);
/* A turn begins: takes up what is asked. Before generator and sink are told of it. */
void trial_begin(struct trial *trial, struct generator *generator, struct sink *sink);
/* The lcore is about to park: writes what became of the trial so far. */
void trial_publish(const struct trial *trial, const struct generator *generator, const struct sink *sink);

#endif
