/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "model/plan.h"

uint32_t plan_tx_queues(const struct model_settings *m)
{
	return m->kind == MODEL_RTC && m->state != STATE_SEPARATED ? m->workers : 1;
}

uint32_t plan_packets_in_rings(const struct model_settings *m)
{
	if (m->kind == MODEL_PIPELINE)
		return m->ring_packets * (m->group_count - 1);
	if (m->state == STATE_SEPARATED)
		return m->ring_packets;
	return m->workers > 1 ? m->ring_packets * m->workers : 0;
}

struct handover *plan_ring(struct plan *p)
{
	struct handover *h = &p->rings[p->ring_count];

	if (!handover_open(h, p->model->ring_packets, p->model->batch_size))
		return NULL;
	p->ring_count++;
	return h;
}

/* The one that receives: nothing more comes once the traffic has ended, or was told to. */
static bool source_over(const struct role *role)
{
	const struct plan *p = role->source;
	return p->traffic.generator != NULL ? traffic_source_ended(&p->traffic) : outside_over(&p->io->outside);
}

void plan_add(struct plan *p, struct role *role)
{
	if (p->role_count == 0) {
		role->over = source_over;
		role->source = p;
	}
	p->roles[p->role_count++] = role;
}

static void add_traffic(struct plan *p, const struct plan_parts *parts)
{
	struct traffic *t = &p->traffic;

	if (parts->generator == NULL)
		return;
	traffic_open(t, p->chain, p->role_count);
	t->generator = parts->generator;
	t->sink = parts->sink;
	t->stop = parts->stop;
	for (uint32_t i = 0; i < p->role_count; i++)
		role_comes_after(&t->role, p->roles[i]);
	plan_add(p, &t->role);
}

bool plan_open(struct plan *p, const struct plan_parts *parts)
{
	const struct model_settings *m = parts->model;
	bool ok;

	p->model = m;
	p->chain = parts->chain;
	p->io = parts->io;
	p->stop = parts->stop;
	rx_clock_start(&p->clock, parts->io, parts->ns_per_packet);
	if (m->kind == MODEL_PIPELINE)
		ok = pipeline_plan(p);
	else if (m->state == STATE_SEPARATED)
		ok = separated_plan(p);
	else
		ok = m->workers > 1 ? workers_plan(p, parts->seed) : rtc_plan(p);
	if (ok)
		add_traffic(p, parts);
	return ok;
}

void plan_close(struct plan *p)
{
	for (uint32_t i = 0; i < p->ring_count; i++)
		handover_close(&p->rings[i]);
	if (p->dispatch.sessions != NULL)
		sessions_destroy(p->dispatch.sessions);
}
