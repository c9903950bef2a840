/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Access control by the 5-tuple. The matching rule with the highest priority decides. See docs/behaviour.md.
 */
#include <stdio.h>

#include <rte_malloc.h>

#include "acl/acl_config.h"
#include "acl/acl_counts.h"
#include "acl/acl_table.h"
#include "packet/flow_id.h"
#include "stage.h"

enum acl_outcome {
	ACL_PERMITTED,
	ACL_DENIED,
	ACL_DEFAULT_PERMITTED,
	ACL_DEFAULT_DENIED,
	ACL_FRAGMENT,
	ACL_MALFORMED,
	ACL_VLAN,
	ACL_NOT_IP,
};

static const struct nalm_outcome_spec acl_outcomes[] = {
	[ACL_PERMITTED] = {"permitted", NALM_KIND_PASS},
	[ACL_DENIED] = {"denied", NALM_KIND_POLICY},
	[ACL_DEFAULT_PERMITTED] = {"default_permitted", NALM_KIND_PASS},
	[ACL_DEFAULT_DENIED] = {"default_denied", NALM_KIND_POLICY},
	[ACL_FRAGMENT] = {"fragment", NALM_KIND_POLICY},
	[ACL_MALFORMED] = {"malformed", NALM_KIND_BAD},
	[ACL_VLAN] = {"vlan", NALM_KIND_POLICY},
	[ACL_NOT_IP] = {"not_ip", NALM_KIND_POLICY},
	{NULL, 0},
};

/* The outcome of packets that rules cannot match against: they are dropped. */
static const uint8_t outcome_of_kind[] = {
	[PACKET_BAD_L4] = ACL_MALFORMED, [PACKET_FRAGMENT] = ACL_FRAGMENT, [PACKET_MALFORMED] = ACL_MALFORMED,
	[PACKET_VLAN] = ACL_VLAN,	 [PACKET_NOT_IP] = ACL_NOT_IP,
};

#define BULK 64u /* packets that are classified together */

struct acl {
	const struct rcu_tables *rcu;
	uint32_t index; /* of this instance */
	uint32_t bulk;	/* 1: packet after packet */
	uint8_t note;
};

/* Packets of a bulk that wait for a verdict, of one IP version. */
struct waiting {
	uint32_t n;
	uint8_t at[BULK]; /* place in the batch */
	const uint8_t *data[BULK];
	acl_verdict verdicts[BULK];
};

/* Headers laid out anew, of packets whose ports do not follow the first header. */
struct copies {
	uint32_t n;
	uint8_t data[BULK][ACL_INPUT_BYTES];
};

static void *acl_build(const void *settings, const struct stage_place *place)
{
	return acl_table_create(settings, place);
}

static void acl_destroy(void *tables)
{
	acl_table_destroy(tables);
}

static void *acl_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	struct acl *acl = rte_zmalloc_socket("acl", sizeof(*acl), 64, place->socket);

	(void)settings;
	if (acl == NULL) {
		fprintf(stderr, "acl: no memory\n");
		return NULL;
	}
	acl->rcu = rcu;
	acl->index = place->index;
	acl->bulk = place->prefetch ? BULK : 1;
	acl->note = place->note;
	return acl;
}

static void acl_fini(void *instance)
{
	rte_free(instance);
}

/* Copies header and ports next to each other. Ports of a packet of kind PACKET_OTHER stay 0: only rules for TCP and UDP
 * compare ports. */
static const uint8_t *lay_out(struct copies *c, const uint8_t *frame, const struct packet *p)
{
	uint8_t *data = c->data[c->n++];
	uint32_t bytes = p->version == 4 ? IPV4_MIN_BYTES : IPV6_BYTES;

	memset(data, 0, ACL_INPUT_BYTES);
	memcpy(data, frame + ETHER_BYTES, bytes);
	if (p->version == 6)
		data[6] = p->protocol;
	if (p->kind == PACKET_L4)
		memcpy(data + bytes, frame + p->l4, 4);
	return data;
}

static inline const uint8_t *input_of(struct copies *c, const uint8_t *frame, const struct packet *p)
{
	uint32_t direct = p->version == 4 ? ETHER_BYTES + IPV4_MIN_BYTES : ETHER_BYTES + IPV6_BYTES;

	if (likely(p->kind == PACKET_L4 && p->l4 == direct))
		return frame + ETHER_BYTES;
	return lay_out(c, frame, p);
}

static inline void decide(const struct acl *acl, const struct acl_table *t, struct batch *b, uint32_t i, acl_verdict v)
{
	static const uint8_t by_rule[2] = {ACL_DENIED, ACL_PERMITTED};
	static const uint8_t by_default[2] = {ACL_DEFAULT_DENIED, ACL_DEFAULT_PERMITTED};

	t->counts.rows[acl->index][acl_rule_number(v)]++;
	b->outcome[i] = v != 0 ? by_rule[acl_permits(v)] : by_default[t->permit_default];
}

/* A note: the table's generation, which begins with 1, and the verdict. It holds for the addresses and ports of the flow
 * as the flow cache saw it: behind a stage that rewrites them packets are judged one by one. */
static inline bool is_of_flow(const uint8_t *frame, const struct packet *p, const struct flow_path *path)
{
	if (p->version != 4 || p->kind != PACKET_L4)
		return false;
	struct flow_key key = flow_id_ipv4(frame, p);
	return key.words[0] == path->key.words[0] && key.words[1] == path->key.words[1];
}

static inline bool follow_note(const struct acl *acl, const struct acl_table *t, struct batch *b, uint32_t i)
{
	uint64_t note = b->paths[i]->notes[acl->note];

	if (note >> 32 != t->generation || !is_of_flow(batch_frame(b, i), &b->packets[i], b->paths[i]))
		return false;
	decide(acl, t, b, i, (acl_verdict)note);
	return true;
}

static inline void write_note(const struct acl *acl, const struct acl_table *t, struct batch *b, uint32_t i, acl_verdict v)
{
	if (is_of_flow(batch_frame(b, i), &b->packets[i], b->paths[i]))
		b->paths[i]->notes[acl->note] = (uint64_t)t->generation << 32 | v;
}

static inline void classify(const struct acl *acl, const struct acl_table *t, const struct rte_acl_ctx *context,
			    struct batch *b, struct waiting *w)
{
	acl_table_lookup(context, w->data, w->verdicts, w->n);
	for (uint32_t i = 0; i < w->n; i++) {
		if (b->flow_cached)
			write_note(acl, t, b, w->at[i], w->verdicts[i]);
		decide(acl, t, b, w->at[i], w->verdicts[i]);
	}
}

static inline void await_verdict(struct waiting *w, uint32_t i, const uint8_t *data)
{
	w->data[w->n] = data;
	w->at[w->n++] = (uint8_t)i;
}

/* Packets first to end - 1, of which there are at most BULK. */
static inline void judge(const struct acl *acl, const struct acl_table *t, struct batch *b, uint32_t first, uint32_t end)
{
	struct waiting ipv4, ipv6;
	struct copies copies;

	ipv4.n = ipv6.n = copies.n = 0;
	for (uint32_t i = first; i < end; i++) {
		const struct packet *p = &b->packets[i];
		if (unlikely(p->kind >= PACKET_BAD_L4))
			b->outcome[i] = outcome_of_kind[p->kind];
		else if (!b->flow_cached || !follow_note(acl, t, b, i))
			await_verdict(p->version == 4 ? &ipv4 : &ipv6, i, input_of(&copies, batch_frame(b, i), p));
	}
	if (ipv4.n != 0)
		classify(acl, t, t->ipv4, b, &ipv4);
	if (ipv6.n != 0)
		classify(acl, t, t->ipv6, b, &ipv6);
}

STAGE_PROCESS void acl_process(void *instance, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void acl_process(void *instance, struct batch *batch, uint64_t now_ns)
{
	const struct acl *acl = instance;
	const struct acl_table *t = rcu_tables_get(acl->rcu);

	(void)now_ns;
	for (uint32_t first = 0; first < batch->count; first += acl->bulk)
		judge(acl, t, batch, first, RTE_MIN(first + acl->bulk, batch->count));
	batch_settle(batch);
}

static void acl_describe(const void *settings, char *text, size_t bytes)
{
	snprintf(text, bytes, "%u rules", ((const struct acl_settings *)settings)->rule_count);
}

const struct stage_ops acl_stage = {
	.name = "acl",
	.outcomes = acl_outcomes,
	.init = acl_init,
	.process = acl_process,
	.fini = acl_fini,
	.hooks = {
		.configure = acl_configure,
		.release = acl_release,
		.build = acl_build,
		.inherit = acl_inherit,
		.destroy = acl_destroy,
		.describe = acl_describe,
		.report = acl_report,
		.reset = acl_reset,
	},
};
