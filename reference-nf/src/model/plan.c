/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/plan.h"

struct handover *plan_ring(struct plan *p)
{
	struct handover *h = &p->rings[p->ring_count];

	if (!handover_open(h, p->model->ring_packets, p->model->batch_size))
		return NULL;
	p->ring_count++;
	return h;
}

/* For a receiving role: nothing more arrives once the traffic has ended or the stop flag is set. */
static bool source_over(const struct role *role)
{
	const struct plan *p = role->source;
	return p->traffic.generator != NULL ? traffic_source_ended(&p->traffic) : io_over(p->io);
}

void plan_add(struct plan *p, struct role *role)
{
	if (p->role_count == 0)
		plan_add_receiving(p, role);
	else
		p->roles[p->role_count++] = role;
}

void plan_add_receiving(struct plan *p, struct role *role)
{
	role->over = source_over;
	role->source = p;
	p->roles[p->role_count++] = role;
}

void plan_close(struct plan *p)
{
	for (uint32_t i = 0; i < p->ring_count; i++)
		handover_close(&p->rings[i]);
	if (p->dispatch.sessions != NULL)
		sessions_destroy(p->dispatch.sessions);
}
