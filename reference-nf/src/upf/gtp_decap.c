/* SPDX-License-Identifier: BSD-3-Clause
 *
 * GTP-U's near end (3GPP TS 29.281): takes user packets out of their tunnels, answers echo requests. docs/behaviour.md.
 */
#include <stdio.h>
#include <stdlib.h>

#include <rte_malloc.h>

#include "stage.h"
#include "upf/gtpu.h"
#include "upf/upf_config.h"
#include "upf/upf_settings.h"
#include "upf/upf_tunnel.h"

#define GTP_DECAP_OUTCOMES(OUTCOME) \
	OUTCOME(GTP_DECAP_DECAPSULATED, "decapsulated", NALM_KIND_PASS) \
	OUTCOME(GTP_DECAP_PLAIN, "plain", NALM_KIND_PASS) \
	OUTCOME(GTP_DECAP_ECHO_ANSWERED, "echo_answered", NALM_KIND_PASS) \
	OUTCOME(GTP_DECAP_OTHER_MESSAGE, "other_message", NALM_KIND_POLICY) \
	OUTCOME(GTP_DECAP_UNKNOWN_EXTENSION, "unknown_extension", NALM_KIND_BAD) \
	OUTCOME(GTP_DECAP_MALFORMED, "malformed", NALM_KIND_BAD) \
	OUTCOME(GTP_DECAP_FRAGMENT, "fragment", NALM_KIND_BAD) \
	OUTCOME(GTP_DECAP_INNER_MALFORMED, "inner_malformed", NALM_KIND_BAD)

enum gtp_decap_outcome { GTP_DECAP_OUTCOMES(STAGE_OUTCOME_ID) };

static const struct nalm_outcome_spec gtp_decap_outcomes[] = {GTP_DECAP_OUTCOMES(STAGE_OUTCOME_SPEC){NULL, 0}};

struct gtp_decap {
	uint32_t n3;
	bool handed_in; /* the NIC takes packets out of tunnels */
};

static void *gtp_decap_init(const void *settings, const struct rcu_tables *rcu, const struct stage_place *place)
{
	const struct upf_tunnel_settings *s = settings;
	struct gtp_decap *d = rte_zmalloc_socket("gtp_decap", sizeof(*d), 64, place->socket);

	(void)rcu;
	if (d == NULL) {
		fprintf(stderr, "gtp_decap: no memory\n");
		return NULL;
	}
	d->n3 = s->n3;
	d->handed_in = s->handed_in;
	if (upf_mark_register())
		return d;
	rte_free(d);
	return NULL;
}

static inline enum gtp_decap_outcome outcome_of_inner(const struct packet *p)
{
	return p->kind == PACKET_MALFORMED ? GTP_DECAP_INNER_MALFORMED : GTP_DECAP_DECAPSULATED;
}

static inline enum gtp_decap_outcome unwrap(struct rte_mbuf *m, struct packet *p, const struct gtpu *g)
{
	if (!upf_unwrap(m, p, g))
		return GTP_DECAP_INNER_MALFORMED;
	packet_parse(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, p);
	return outcome_of_inner(p);
}

static inline enum gtp_decap_outcome receive(struct rte_mbuf *m, struct packet *p)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	struct gtpu g;

	switch (gtpu_parse(frame + p->payload, p->payload_bytes, &g)) {
	case GTPU_SOUND:
		break;
	case GTPU_UNKNOWN_EXTENSION:
		return GTP_DECAP_UNKNOWN_EXTENSION;
	default:
		return GTP_DECAP_MALFORMED;
	}
	if (g.type == GTPU_G_PDU) {
		upf_mark_tunnel(m, &g);
		return unwrap(m, p, &g);
	}
	if (g.type != GTPU_ECHO_REQUEST)
		return GTP_DECAP_OTHER_MESSAGE;
	upf_mark(m)->side = UPF_OWN;
	return upf_answer_echo(m, p, g.sequence) ? GTP_DECAP_ECHO_ANSWERED : GTP_DECAP_MALFORMED;
}

static inline enum gtp_decap_outcome look_at(const struct gtp_decap *d, struct rte_mbuf *m, struct packet *p)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);

	upf_mark(m)->policy = 0;
	if (d->handed_in && (m->ol_flags & upf_decapsulated) != 0)
		return outcome_of_inner(p);
	upf_mark(m)->side = UPF_CORE;
	if (!upf_goes_to(frame, p, d->n3))
		return GTP_DECAP_PLAIN;
	if (unlikely(p->kind != PACKET_L4))
		return p->kind == PACKET_FRAGMENT ? GTP_DECAP_FRAGMENT : GTP_DECAP_MALFORMED;
	if (load_be16(frame + p->l4 + 2) != GTPU_PORT)
		return GTP_DECAP_PLAIN;
	return receive(m, p);
}

STAGE_PROCESS void gtp_decap_process(void *instance, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void gtp_decap_process(void *instance, struct batch *batch, uint64_t now_ns)
{
	const struct gtp_decap *d = instance;

	(void)now_ns;
	for (uint32_t i = 0; i < batch->count; i++)
		batch->outcome[i] = (uint8_t)look_at(d, batch->mbufs[i], &batch->packets[i]);
	batch_settle(batch);
}

const struct stage_ops gtp_decap_stage = {
	.name = "gtp_decap",
	.outcomes = gtp_decap_outcomes,
	.init = gtp_decap_init,
	.process = gtp_decap_process,
	.fini = rte_free,
	.hooks = {
		.configure = gtp_decap_configure,
		.release = free,
	},
};
