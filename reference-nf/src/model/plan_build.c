/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/pipeline.h"
#include "model/plan_build.h"
#include "model/rtc.h"
#include "model/separated_plan.h"
#include "model/workers.h"

uint32_t plan_tx_queues(const struct model_settings *m)
{
	return m->kind == MODEL_RTC && m->state != STATE_SEPARATED ? m->workers : 1;
}

uint32_t plan_rx_queues(const struct model_settings *m)
{
	return m->rss ? m->workers : 1;
}

uint32_t plan_packets_in_rings(const struct model_settings *m)
{
	if (m->kind == MODEL_PIPELINE)
		return m->ring_packets * (m->group_count - 1);
	if (m->state == STATE_SEPARATED)
		return m->ring_packets;
	return model_dispatches(m) ? m->ring_packets * m->workers : 0;
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
	uint64_t now = rte_rdtsc();
	bool ok;

	p->model = m;
	p->chain = parts->chain;
	p->io = parts->io;
	p->stop = parts->stop;
	for (uint16_t q = 0; q < plan_rx_queues(m); q++)
		rx_clock_start(&p->clocks[q], parts->io, q, parts->ns_per_packet, now);
	if (parts->traffic_alone)
		ok = true;
	else if (m->kind == MODEL_PIPELINE)
		ok = pipeline_plan(p);
	else if (m->state == STATE_SEPARATED)
		ok = separated_plan(p);
	else
		ok = m->workers > 1 ? workers_plan(p, parts->seed) : rtc_plan(p);
	if (ok)
		add_traffic(p, parts);
	return ok;
}
