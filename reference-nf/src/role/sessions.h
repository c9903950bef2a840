/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dispatching lcore's session table: the worker of each flow. The first packet of a flow registers the worker with
 * the fewest sessions; later packets of both directions follow it (Wu et al., III-B1).
 */
#ifndef SESSIONS_H
#define SESSIONS_H

#include "model/model_config.h"
#include "stage.h"

struct sessions;

/* timeout: removes sessions idle that long. It must not be shorter than the stages' own, nor entries fewer than theirs
 * (settings.c), or a flow that they still have would change its worker. NULL: reported on stderr. */
struct sessions *sessions_create(uint32_t entries, uint32_t workers, uint64_t timeout_ns,
				 const struct stage_place *place);
void sessions_destroy(struct sessions *sessions);

/* Removes sessions that have been idle too long. */
void sessions_begin(struct sessions *sessions, uint64_t now_ns);
/* The worker of each of n packets, at most BATCH_MAX. Returns how many belong to existing sessions, and in *fresh how
 * many are new. When the table is full, a new session replaces the one idle longest. */
uint32_t sessions_find(struct sessions *sessions, const struct stage_owner owners[], uint32_t n, uint64_t now_ns,
		       uint8_t worker[], uint32_t *fresh);
uint32_t sessions_count(const struct sessions *sessions);

#endif
