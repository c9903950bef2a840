/* SPDX-License-Identifier: BSD-3-Clause */
#include "upf/upf_tunnel.h"

#define RECOVERY_TYPE 14u /* its value has no meaning, and is 0 (TS 29.281, 8.2) */
#define ECHO_BYTES (GTPU_BYTES + GTPU_OPTIONAL_BYTES + 2u)

static void write_header(uint8_t *gtp, uint8_t flags, enum gtpu_type type, uint32_t length, uint32_t teid)
{
	gtp[0] = (uint8_t)(0x30 | flags);
	gtp[1] = (uint8_t)type;
	store16(gtp + 2, rte_cpu_to_be_16((uint16_t)length));
	memcpy(gtp + 4, &teid, sizeof(teid));
}

bool upf_wrap(struct rte_mbuf *m, struct packet *p, uint32_t n3, uint32_t peer, uint32_t teid, uint8_t qfi)
{
	const uint8_t container[UPF_CONTAINER_BYTES] = {0, 0, 0, GTPU_SESSION_CONTAINER, 1, 0, qfi, 0};
	uint32_t inner = upf_ip_bytes(rte_pktmbuf_mtod(m, const uint8_t *), p);
	uint32_t more = qfi != 0 ? UPF_CONTAINER_BYTES : 0, head = UPF_TUNNEL_BYTES + more;

	(void)rte_pktmbuf_trim(m, (uint16_t)(m->data_len - ETHER_BYTES - inner)); /* padding does not travel in tunnels */
	uint8_t *frame = (uint8_t *)rte_pktmbuf_prepend(m, (uint16_t)head);
	if (frame == NULL || inner > UINT16_MAX - head)
		return false;
	uint8_t *ip = frame + ETHER_BYTES, *gtp = ip + IPV4_MIN_BYTES + UDP_BYTES;
	memmove(frame, frame + head, RTE_ETHER_ADDR_LEN * 2);
	store16(frame + 12, rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4));
	upf_write_outer(ip, n3, peer, GTPU_PORT, GTPU_PORT, UDP_BYTES + GTPU_BYTES + more + inner);
	write_header(gtp, qfi != 0 ? GTPU_HAS_EXTENSION : 0, GTPU_G_PDU, more + inner, teid);
	memcpy(gtp + GTPU_BYTES, container, more);
	*p = (struct packet){
		.kind = PACKET_L4,
		.version = 4,
		.protocol = IPPROTO_UDP,
		.l4 = ETHER_BYTES + IPV4_MIN_BYTES,
		.payload = ETHER_BYTES + IPV4_MIN_BYTES + UDP_BYTES,
		.payload_bytes = (uint16_t)(GTPU_BYTES + more + inner),
	};
	return true;
}

bool upf_answer_echo(struct rte_mbuf *m, struct packet *p, uint16_t sequence)
{
	const uint8_t *was = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t from = load32(was + ETHER_BYTES + 12), to = load32(was + ETHER_BYTES + 16);
	uint32_t bytes = ETHER_BYTES + IPV4_MIN_BYTES + UDP_BYTES + ECHO_BYTES;
	uint16_t port = load_be16(was + p->l4);

	if (m->data_len < bytes && rte_pktmbuf_append(m, (uint16_t)(bytes - m->data_len)) == NULL)
		return false;
	(void)rte_pktmbuf_trim(m, (uint16_t)(m->data_len - bytes));
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *), *gtp = frame + bytes - ECHO_BYTES;
	upf_write_outer(frame + ETHER_BYTES, to, from, GTPU_PORT, port, UDP_BYTES + ECHO_BYTES);
	write_header(gtp, GTPU_HAS_SEQUENCE, GTPU_ECHO_RESPONSE, ECHO_BYTES - GTPU_BYTES, 0);
	store16(gtp + GTPU_BYTES, rte_cpu_to_be_16(sequence));
	memset(gtp + GTPU_BYTES + 2, 0, 4);
	gtp[GTPU_BYTES + GTPU_OPTIONAL_BYTES] = RECOVERY_TYPE;
	packet_parse(frame, bytes, p);
	return true;
}
