/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dispatching lcore's session table: which worker has a flow. The first packet of a flow registers the worker with
 * the fewest sessions; later ones, of both directions, follow (Wu et al., III-B1).
 */
#ifndef SESSIONS_H
#define SESSIONS_H

#include "model/model_config.h"
#include "stage.h"

struct sessions;

/* timeout: a session that idle is forgotten. It must not be shorter than the stages' own: a flow they still know would
 * change its worker. NULL: said on stderr. */
struct sessions *sessions_create(uint32_t entries, uint32_t workers, uint64_t timeout_ns,
				 const struct stage_place *place);
void sessions_destroy(struct sessions *sessions);

/* Forgets what has been idle too long. */
void sessions_begin(struct sessions *sessions, uint64_t now_ns);
/* The worker of each of n packets, at most BATCH_MAX. Returns how many belong to known sessions, and in *fresh
 * how many have just been registered. When the table is full, the session idle longest makes room. */
uint32_t sessions_find(struct sessions *sessions, const struct stage_owner owners[], uint32_t n, uint64_t now_ns,
		       uint8_t worker[], uint32_t *fresh);
uint32_t sessions_count(const struct sessions *sessions);

#endif
