/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "io/offload.h"
#include "nic/nic.h"
#include "packet/flow_id.h"
#include "table/table_memory.h"
#include "upf/upf_tunnel.h"

const struct nalm_outcome_spec nic_outcomes[] = {
	[NIC_HANDED_IN] = {"handed_in", NALM_KIND_PASS},
	{NULL, 0},
};

static bool open_flows(struct nic *n)
{
	int socket = (int)rte_socket_id();

	n->keys = table_memory_take("nic_flows", (size_t)n->room * sizeof(*n->keys), socket);
	if (n->keys == NULL)
		return false;
	n->flows = flow_table_create(&(struct flow_table_params){
		.name = "nic",
		.kind = FLOW_TABLE_SIGNATURE,
		.entries = n->room,
		.keys = n->keys,
		.stride = sizeof(*n->keys),
		.socket = socket,
		.prefetch = true,
	});
	return n->flows != NULL;
}

bool nic_open(struct nic *n, const struct traffic_settings *s, uint32_t queues)
{
	*n = (struct nic){.offload = s->offload, .n3 = s->n3, .room = s->marks, .queues = queues};
	if ((n->offload & OFFLOAD_DECAP) != 0 && !upf_mark_register())
		return false;
	if ((n->offload & OFFLOAD_MARK) == 0 || open_flows(n))
		return true;
	fprintf(stderr, "nic: no memory for %u flows\n", n->room);
	nic_close(n);
	return false;
}

void nic_close(struct nic *n)
{
	flow_table_destroy(n->flows);
	table_memory_give(n->keys, (size_t)n->room * sizeof(*n->keys));
	*n = (struct nic){0};
}

/* Takes a user packet out of its tunnel. Every other packet, also one that contradicts itself, is left to the NF. */
static inline void decapsulate(const struct nic *n, struct rte_mbuf *m, struct packet *p)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct gtpu g;

	if (!upf_goes_to(frame, p, n->n3) || p->kind != PACKET_L4 || load_be16(frame + p->l4 + 2) != GTPU_PORT ||
	    gtpu_parse(frame + p->payload, p->payload_bytes, &g) != GTPU_SOUND || g.type != GTPU_G_PDU)
		return;
	if (!upf_unwrap(m, p, &g))
		return;
	upf_mark_tunnel(m, &g);
	m->ol_flags |= upf_decapsulated;
	packet_parse(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, p);
}

/* A NIC says nothing of headers that it cannot read to their end. */
static inline void check_sum(struct rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *), *ip = frame + ETHER_BYTES;

	if (m->data_len < ETHER_BYTES + IPV4_MIN_BYTES || load_be16(frame + 12) != RTE_ETHER_TYPE_IPV4)
		return;
	uint32_t header = (uint32_t)(ip[0] & 0xf) * 4;
	if (header < IPV4_MIN_BYTES || ETHER_BYTES + header > m->data_len)
		return;
	m->ol_flags |= ipv4_header_sum(ip, header) == 0xffff ? RTE_MBUF_F_RX_IP_CKSUM_GOOD : RTE_MBUF_F_RX_IP_CKSUM_BAD;
}

static inline void hash(struct rte_mbuf *m, const struct packet *p)
{
	m->hash.rss = flow_id_spread(rte_pktmbuf_mtod(m, const uint8_t *), p);
	m->ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
}

/* The first packet of a flow is not marked: it makes the flow known. */
static inline void mark(struct nic *n, struct rte_mbuf *m, const struct packet *p)
{
	uint32_t number;

	if (p->version != 4 || p->kind != PACKET_L4)
		return;
	struct flow_key key = flow_id_ipv4(rte_pktmbuf_mtod(m, const uint8_t *), p);
	if (flow_table_find(n->flows, &key, 1, &number) != 0) {
		m->hash.fdir.hi = number;
		m->ol_flags |= RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID;
	} else if (n->count < n->room) {
		n->keys[n->count] = key;
		n->count += flow_table_insert(n->flows, n->count);
	}
}

__attribute__((noinline)) void nic_process(struct nic *n, struct rte_mbuf *mbufs[], uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct rte_mbuf *m = mbufs[i];
		struct packet p = {0};

		packet_parse(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, &p);
		if ((n->offload & OFFLOAD_DECAP) != 0)
			decapsulate(n, m, &p);
		if ((n->offload & OFFLOAD_CHECKSUM) != 0)
			check_sum(m);
		if ((n->offload & OFFLOAD_HASH) != 0)
			hash(m, &p);
		if ((n->offload & OFFLOAD_MARK) != 0)
			mark(n, m, &p);
		if ((n->offload & OFFLOAD_RSS) != 0)
			n->queue[i] = (uint8_t)(flow_id_spread(rte_pktmbuf_mtod(m, const uint8_t *), &p) % n->queues);
	}
}
