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
	if (upf_mark_register())
		return d;
	rte_free(d);
	return NULL;
}

/* The Ethernet header comes to stand before the packet inside, whose end is the frame's. */
static inline enum gtp_decap_outcome unwrap(struct rte_mbuf *m, struct packet *p, const struct gtpu *g)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	uint32_t inner = p->payload + g->payload, cut = inner - ETHER_BYTES;
	uint8_t version = g->payload_bytes == 0 ? 0 : frame[inner] >> 4;

	if (version != 4 && version != 6)
		return GTP_DECAP_INNER_MALFORMED;
	memmove(frame + cut, frame, RTE_ETHER_ADDR_LEN * 2);
	store16(frame + cut + 12, rte_cpu_to_be_16(version == 4 ? RTE_ETHER_TYPE_IPV4 : RTE_ETHER_TYPE_IPV6));
	(void)rte_pktmbuf_trim(m, (uint16_t)(m->data_len - inner - g->payload_bytes));
	frame = (uint8_t *)rte_pktmbuf_adj(m, (uint16_t)cut);
	packet_parse(frame, m->data_len, p);
	return p->kind == PACKET_MALFORMED ? GTP_DECAP_INNER_MALFORMED : GTP_DECAP_DECAPSULATED;
}

static inline enum gtp_decap_outcome receive(struct rte_mbuf *m, struct packet *p)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	struct upf_mark *mark = upf_mark(m);
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
		mark->side = UPF_ACCESS;
		mark->teid = g.teid;
		mark->qfi = g.qfi;
		return unwrap(m, p, &g);
	}
	if (g.type != GTPU_ECHO_REQUEST)
		return GTP_DECAP_OTHER_MESSAGE;
	mark->side = UPF_OWN;
	return upf_answer_echo(m, p, g.sequence) ? GTP_DECAP_ECHO_ANSWERED : GTP_DECAP_MALFORMED;
}

static inline enum gtp_decap_outcome look_at(const struct gtp_decap *d, struct rte_mbuf *m, struct packet *p)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);

	upf_mark(m)->side = UPF_CORE;
	upf_mark(m)->policy = 0;
	if (p->version != 4 || p->kind >= PACKET_MALFORMED || p->protocol != IPPROTO_UDP ||
	    load32(frame + ETHER_BYTES + 16) != d->n3)
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
