/* SPDX-License-Identifier: BSD-3-Clause */
#include "role/separated.h"

/* A packet before the stages, to detect which packets they dropped. */
struct seat {
	struct rte_mbuf *mbuf;
	uint64_t ticket;
	uint16_t database;
};

static void take_seats(const struct batch *b, struct seat seats[])
{
	for (uint32_t i = 0; i < b->count; i++) {
		const struct mbuf_metadata *metadata = mbuf_metadata(b->mbufs[i]);
		seats[i] = (struct seat){b->mbufs[i], metadata->ticket, metadata->database};
	}
}

/* Passes the remaining packets on, and a gap for each dropped one. The rings have room: see credit.h. */
STAGE_PROCESS void handover_seats_process(struct rte_ring *const to[], uint32_t databases, struct batch *b,
					  const struct seat seats[], uint32_t count, uint64_t now_ns);
STAGE_PROCESS void handover_seats_process(struct rte_ring *const to[], uint32_t databases, struct batch *b,
					  const struct seat seats[], uint32_t count, uint64_t now_ns)
{
	void *parts[MODEL_MAX_DATABASES][BATCH_MAX];
	uint32_t sizes[MODEL_MAX_DATABASES] = {0}, kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint16_t d = seats[i].database;
		if (kept < b->count && b->mbufs[kept] == seats[i].mbuf) {
			struct mbuf_metadata *metadata = mbuf_metadata(seats[i].mbuf);
			metadata->now_ns = now_ns;
			metadata->packet = b->packets[kept++];
			parts[d][sizes[d]++] = seats[i].mbuf;
		} else {
			parts[d][sizes[d]++] = order_gap(seats[i].ticket);
		}
	}
	for (uint32_t d = 0; d < databases; d++)
		rte_ring_sp_enqueue_bulk(to[d], parts[d], sizes[d], NULL);
	memset(b->outcomes, 0, sizeof(b->outcomes));
	b->outcomes[HANDED_OVER] = b->count;
	b->count = 0;
}

static uint32_t compute_leg(struct compute *c, struct nalm_lcore *lcore, struct handover *from, const struct leg *leg)
{
	const uint32_t *at = c->role.chain->at;
	struct batch *batch = &c->batch;
	struct seat seats[BATCH_MAX];

	uint64_t now_ns = handover_in_process(from, batch);
	uint32_t n = batch->count;
	role_account(&c->role, lcore, at[PART_HANDOVER_IN], n, batch->outcomes);
	if (n == 0)
		return 0;
	take_seats(batch, seats);
	segment_run(&leg->segment, &c->role, lcore, batch, now_ns);
	uint32_t left = batch->count;
	handover_seats_process(leg->to, c->databases, batch, seats, n, now_ns);
	role_account(&c->role, lcore, at[PART_HANDOVER_OUT], left, batch->outcomes);
	return n;
}

static uint32_t compute_step(struct role *role, struct nalm_lcore *lcore)
{
	struct compute *c = (struct compute *)role;
	uint32_t n = compute_leg(c, lcore, c->fresh, &c->before);

	for (uint32_t d = 0; d < c->databases; d++)
		n += compute_leg(c, lcore, c->from[d], &c->behind);
	return n;
}

static uint32_t database_step(struct role *role, struct nalm_lcore *lcore)
{
	struct database *d = (struct database *)role;
	const uint32_t *at = role->chain->at;
	struct batch *batch = &d->batch;

	uint32_t gaps = order_process(&d->order, batch, d->batch_size);
	uint32_t n = batch->count;
	role_account(role, lcore, at[PART_ORDER], n, batch->outcomes);
	if (n + gaps == 0)
		return 0;
	uint64_t now_ns = n == 0 ? 0 : mbuf_metadata(batch->mbufs[0])->now_ns;
	if (n != 0)
		segment_run(&d->segment, role, lcore, batch, now_ns);
	uint32_t left = batch->count;
	for (uint32_t i = 0; i < left; i++)
		mbuf_metadata(batch->mbufs[i])->ticket = d->tickets++;
	if (left != 0) {
		handover_out_process(d->to[d->next_worker], batch, now_ns);
		role_account(role, lcore, at[PART_HANDOVER_OUT], left, batch->outcomes);
		d->next_worker = d->next_worker + 1 == d->workers ? 0 : d->next_worker + 1;
	}
	credit_give(d->credit, d->number, gaps + n - left);
	return n + gaps;
}

static uint32_t egress_from(struct egress *e, struct nalm_lcore *lcore, struct order *order)
{
	const uint32_t *at = e->role.chain->at;

	uint32_t gaps = order_process(order, &e->batch, e->batch_size);
	uint32_t n = e->batch.count;
	role_account(&e->role, lcore, at[PART_ORDER], n, e->batch.outcomes);
	if (n != 0) {
		tx_process(&e->tx, &e->batch, 0);
		role_account(&e->role, lcore, at[PART_TX], n, e->batch.outcomes);
	}
	return n + gaps;
}

static uint32_t egress_step(struct role *role, struct nalm_lcore *lcore)
{
	struct egress *e = (struct egress *)role;
	uint32_t n = 0;

	for (uint32_t d = 0; d < e->databases; d++)
		n += egress_from(e, lcore, &e->order[d]);
	if (n != 0)
		credit_give(e->credit, MODEL_MAX_DATABASES, n);
	return n;
}

void compute_open(struct compute *c, struct chain *chain, uint32_t ledger)
{
	role_open(&c->role, "worker", compute_step, chain, ledger);
}

void database_open(struct database *d, struct chain *chain, uint32_t ledger)
{
	role_open(&d->role, "database", database_step, chain, ledger);
}

void egress_open(struct egress *e, struct chain *chain, uint32_t ledger)
{
	role_open(&e->role, "egress", egress_step, chain, ledger);
}
