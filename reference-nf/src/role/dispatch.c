/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet/flow_id.h"
#include "role/dispatch.h"
#include "packet/mbuf_metadata.h"

const struct nalm_outcome_spec dispatch_outcomes[] = {
	[DISPATCH_KNOWN] = {"known_session", NALM_KIND_PASS},
	[DISPATCH_NEW] = {"new_session", NALM_KIND_PASS},
	[DISPATCH_BY_ADDRESS] = {"by_address", NALM_KIND_PASS},
	[DISPATCH_EVENLY] = {"evenly", NALM_KIND_PASS},
	{NULL, 0},
};

static void by_address(struct dispatch *d, struct batch *b)
{
	for (uint32_t i = 0; i < b->count; i++)
		d->worker[i] = (uint8_t)(flow_id_spread(batch_frame(b, i), &b->packets[i]) % d->model->workers);
	b->outcomes[DISPATCH_BY_ADDRESS] = b->count;
}

static void find_owners(struct dispatch *d, struct batch *b, uint32_t count)
{
	const struct chain_stage *s = d->flow_stage;
	s->ops->hooks.owners(s->settings, &s->rcu, b, count, d->owners);
}

static void by_session(struct dispatch *d, struct batch *b, uint64_t now_ns)
{
	find_owners(d, b, d->model->workers);
	sessions_begin(d->sessions, now_ns);
	uint32_t fresh = 0, known = sessions_find(d->sessions, d->owners, b->count, now_ns, d->worker, &fresh);
	b->outcomes[DISPATCH_KNOWN] = known;
	b->outcomes[DISPATCH_NEW] = fresh;
	b->outcomes[DISPATCH_BY_ADDRESS] = b->count - known - fresh;
}

static uint16_t database_of(const struct stage_owner *owner, uint32_t databases)
{
	if (owner->instance == OWNER_ANY)
		return 0;
	if (owner->instance >= 0)
		return (uint16_t)owner->instance;
	return (uint16_t)(flow_table_hash(&owner->key, 0) % databases);
}

/* Gives every packet a ticket in the order of the instance that owns its flow. */
static void evenly(struct dispatch *d, struct batch *b)
{
	if (d->flow_stage != NULL)
		find_owners(d, b, d->model->databases);
	for (uint32_t i = 0; i < b->count; i++) {
		struct mbuf_metadata *metadata = mbuf_metadata(b->mbufs[i]);
		metadata->database = d->flow_stage == NULL ? 0 : database_of(&d->owners[i], d->model->databases);
		metadata->ticket = d->tickets[metadata->database]++;
		d->worker[i] = (uint8_t)d->next_worker;
	}
	d->next_worker = d->next_worker + 1 == d->model->workers ? 0 : d->next_worker + 1;
	b->outcomes[DISPATCH_EVENLY] = b->count;
}

/* By the NIC's hash where it gave one ([io] offload), which is the same for a flow's direction, too. */
static void by_hash(struct dispatch *d, struct batch *b)
{
	for (uint32_t i = 0; i < b->count; i++) {
		const struct rte_mbuf *m = b->mbufs[i];
		uint32_t hash = (m->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0 ? m->hash.rss :
										flow_id_spread(batch_frame(b, i), &b->packets[i]);
		d->worker[i] = (uint8_t)(hash % d->model->workers);
	}
	b->outcomes[DISPATCH_BY_ADDRESS] = b->count;
}

STAGE_PROCESS void dispatch_process(struct dispatch *d, struct batch *batch, uint64_t now_ns)
{
	memset(batch->outcomes, 0, sizeof(batch->outcomes));
	if (d->model->state == STATE_SEPARATED)
		evenly(d, batch);
	else if (d->sessions != NULL)
		by_session(d, batch, now_ns);
	else if (d->rx->io->hashed)
		by_hash(d, batch);
	else
		by_address(d, batch);
}

static bool has_room(const struct dispatch *d)
{
	if (d->credit != NULL)
		return credit_left(d->credit) >= d->model->batch_size;
	for (uint32_t w = 0; w < d->model->workers; w++)
		if (!handover_has_room(d->out[w]))
			return false;
	return true;
}

static uint32_t dispatch_step(struct role *role, struct nalm_lcore *lcore)
{
	struct dispatch *d = (struct dispatch *)role;
	const uint32_t *at = role->chain->at;
	struct batch *batch = &d->batch;

	if (!has_room(d))
		return role_blocked(role, lcore);
	uint64_t now_ns = rx_now(d->rx);
	uint32_t arrived = rx_process(d->rx, batch, now_ns), n = batch->count;
	role_account(role, lcore, at[PART_RX], arrived, batch->outcomes);
	d->rx->received += arrived;
	if (n == 0)
		return arrived;
	if (d->credit != NULL)
		credit_take(d->credit, n);
	dispatch_process(d, batch, now_ns);
	role_account(role, lcore, at[PART_DISPATCH], n, batch->outcomes);
	handover_scatter_process(d->out, d->model->workers, batch, d->worker, now_ns);
	role_account(role, lcore, at[PART_HANDOVER_OUT], n, batch->outcomes);
	return arrived;
}

void dispatch_open(struct dispatch *d, struct chain *chain, uint32_t ledger)
{
	role_open(&d->role, "dispatch", dispatch_step, chain, ledger);
}
