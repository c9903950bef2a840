/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Run to completion on several lcores, behind a dispatching one or (rss) each with a receive queue of its own: states
 * `lockfree` (each worker has its own flows) and `locked` (they share them).
 */
#include <stdio.h>

#include <rte_lcore.h>

#include "model/workers.h"

/* Replaces stages that workers share by ones that lock each call. */
static void lock_shared(struct plan *p, struct segment *segment)
{
	for (uint32_t i = 0; i < segment->count; i++) {
		const struct chain_stage *stage = &p->chain->stages[i];
		if (!stage->ops->keeps_flows)
			continue;
		p->locks[i].process = stage->ops->process;
		p->locks[i].instance = stage->instances[0];
		rte_spinlock_init(&p->locks[i].lock);
		segment->stages[i].process = locked_call;
		segment->stages[i].instance = &p->locks[i];
	}
}

static bool open_sessions(struct plan *p, uint64_t seed)
{
	const struct model_settings *m = p->model;
	const struct stage_place place = {
		.seed = seed,
		.socket = (int)rte_socket_id(),
		.hash = m->hash,
		.prefetch = m->prefetch,
	};

	p->dispatch.sessions = sessions_create(m->sessions, m->workers, m->session_timeout_ns, &place);
	return p->dispatch.sessions != NULL;
}

static bool add_worker(struct plan *p, uint32_t w)
{
	struct link *l = &p->links[w];
	char name[sizeof(l->role.name)];

	snprintf(name, sizeof(name), "worker_%u", w);
	link_open(l, name, p->chain, 1 + w);
	if (p->model->rss)
		l->rx = &p->clocks[w];
	else if ((l->in = p->dispatch.out[w] = plan_ring(p)) == NULL)
		return false;
	l->tx = (struct tx_queue){p->io, (uint16_t)w};
	segment_add(&l->segment, p->chain, 0, p->chain->count, w);
	if (p->model->state == STATE_LOCKED)
		lock_shared(p, &l->segment);
	if (p->model->rss) {
		plan_add_receiving(p, &l->role);
	} else {
		role_comes_after(&l->role, &p->dispatch.role);
		plan_add(p, &l->role);
	}
	return true;
}

static bool add_dispatch(struct plan *p, uint64_t seed)
{
	struct dispatch *d = &p->dispatch;

	dispatch_open(d, p->chain, 0);
	d->rx = &p->clocks[0];
	d->model = p->model;
	d->flow_stage = chain_flow_stage(p->chain);
	plan_add(p, &d->role);
	return p->model->state != STATE_LOCKFREE || d->flow_stage == NULL || open_sessions(p, seed);
}

bool workers_plan(struct plan *p, uint64_t seed)
{
	if (!p->model->rss && !add_dispatch(p, seed))
		return false;
	for (uint32_t w = 0; w < p->model->workers; w++)
		if (!add_worker(p, w))
			return false;
	return true;
}
