/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The roles and rings of state `separated`.
 */
#include <stdio.h>

#include "model/separated_plan.h"

/* For roles that packets reach from several sides: ended when dispatching has ended and all its packets have left. */
static bool all_done(const struct role *role)
{
	const struct plan *p = role->source;
	return role_has_ended(&p->dispatch.role) && credit_done(&p->credit) == p->credit.issued;
}

static void add_inner(struct plan *p, struct role *role, uint32_t number)
{
	size_t used = strlen(role->name);

	snprintf(role->name + used, sizeof(role->name) - used, "_%u", number);
	role->over = all_done;
	role->source = p;
	plan_add(p, role);
}

static bool join(struct plan *p, uint32_t w, uint32_t d)
{
	struct compute *c = &p->compute[w];
	struct database *base = &p->databases[d];
	struct handover *fresh = plan_ring(p), *back = plan_ring(p), *out = plan_ring(p);

	if (fresh == NULL || back == NULL || out == NULL)
		return false;
	c->before.to[d] = base->order.from[w].ring = fresh->ring;
	c->from[d] = base->to[w] = back;
	c->behind.to[d] = p->egress.order[d].from[w].ring = out->ring;
	return true;
}

static bool open_workers(struct plan *p)
{
	const struct chain *chain = p->chain;

	for (uint32_t w = 0; w < p->model->workers; w++) {
		struct compute *c = &p->compute[w];
		compute_open(c, p->chain, 1 + w);
		c->databases = p->model->databases;
		c->fresh = p->dispatch.out[w] = plan_ring(p);
		if (c->fresh == NULL)
			return false;
		segment_add(&c->before.segment, chain, 0, chain->flows_first, w);
		segment_add(&c->behind.segment, chain, chain->flows_end, chain->count, w);
		add_inner(p, &c->role, w);
	}
	return true;
}

static bool open_databases(struct plan *p)
{
	const struct model_settings *m = p->model;

	for (uint32_t d = 0; d < m->databases; d++) {
		struct database *base = &p->databases[d];
		database_open(base, p->chain, 1 + m->workers + d);
		base->workers = base->order.sources = m->workers;
		base->number = d;
		base->batch_size = m->batch_size;
		base->credit = &p->credit;
		segment_add(&base->segment, p->chain, p->chain->flows_first, p->chain->flows_end, d);
		for (uint32_t w = 0; w < m->workers; w++)
			if (!join(p, w, d))
				return false;
		add_inner(p, &base->role, d);
	}
	return true;
}

bool separated_plan(struct plan *p)
{
	const struct model_settings *m = p->model;
	struct dispatch *d = &p->dispatch;

	p->credit.limit = m->ring_packets;
	dispatch_open(d, p->chain, 0);
	d->rx = &p->clocks[0];
	d->model = m;
	d->flow_stage = chain_flow_stage(p->chain);
	d->credit = &p->credit;
	plan_add(p, &d->role);
	if (!open_workers(p) || !open_databases(p))
		return false;
	egress_open(&p->egress, p->chain, 1 + m->workers + m->databases);
	p->egress.databases = m->databases;
	for (uint32_t i = 0; i < m->databases; i++)
		p->egress.order[i].sources = m->workers;
	p->egress.batch_size = m->batch_size;
	p->egress.tx = (struct tx_queue){p->io, 0};
	p->egress.credit = &p->credit;
	p->egress.role.over = all_done;
	p->egress.role.source = p;
	plan_add(p, &p->egress.role);
	return true;
}
