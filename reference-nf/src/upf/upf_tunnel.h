/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is written around a packet that goes into a tunnel, and the answer to an echo request.
 */
#ifndef UPF_TUNNEL_H
#define UPF_TUNNEL_H

#include "upf/gtpu.h"
#include "upf/upf_mark.h"

#define UPF_TUNNEL_BYTES (IPV4_MIN_BYTES + UDP_BYTES + GTPU_BYTES)
#define UPF_CONTAINER_BYTES 8u /* optional fields and a PDU Session Container */
#define UPF_TUNNEL_TTL 64u

/* An IPv4 header without options, DF set, identification 0 (RFC 6864, 4.1), and UDP without checksum, as is allowed over
 * IPv4 (TS 29.281, 4.4.2.0). Addresses as in a packet. */
static inline void upf_write_outer(uint8_t *ip, uint32_t source, uint32_t destination, uint16_t source_port,
				   uint16_t destination_port, uint32_t udp_bytes)
{
	static const uint8_t begin[IPV4_MIN_BYTES] = {
		0x45, 0, 0, 0, 0, 0, 0x40, 0, UPF_TUNNEL_TTL, IPPROTO_UDP,
	};
	uint8_t *udp = ip + IPV4_MIN_BYTES;

	memcpy(ip, begin, sizeof(begin));
	store16(ip + 2, rte_cpu_to_be_16((uint16_t)(IPV4_MIN_BYTES + udp_bytes)));
	memcpy(ip + 12, &source, sizeof(source));
	memcpy(ip + 16, &destination, sizeof(destination));
	store16(ip + 10, (uint16_t)~ipv4_header_sum(ip, IPV4_MIN_BYTES));
	store16(udp, rte_cpu_to_be_16(source_port));
	store16(udp + 2, rte_cpu_to_be_16(destination_port));
	store16(udp + 4, rte_cpu_to_be_16((uint16_t)udp_bytes));
	store16(udp + 6, 0);
}

/* Whether it is a UDP datagram to this end of the tunnels, whole or in part. */
static inline bool upf_goes_to(const uint8_t *frame, const struct packet *p, uint32_t n3)
{
	return p->version == 4 && p->kind < PACKET_MALFORMED && p->protocol == IPPROTO_UDP &&
	       load32(frame + ETHER_BYTES + 16) == n3;
}

/* The tunnel that a user packet came in by. */
static inline void upf_mark_tunnel(struct rte_mbuf *m, const struct gtpu *g)
{
	struct upf_mark *mark = upf_mark(m);

	mark->side = UPF_ACCESS;
	mark->teid = g->teid;
	mark->qfi = g->qfi;
}

/* Takes the user packet of a G-PDU out: the Ethernet header comes to stand before it, and its end is the frame's. The
 * caller parses it. false: it is not IP, and the frame is as it was. */
static inline bool upf_unwrap(struct rte_mbuf *m, const struct packet *p, const struct gtpu *g)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	uint32_t inner = p->payload + g->payload, cut = inner - ETHER_BYTES;
	uint8_t version = g->payload_bytes == 0 ? 0 : frame[inner] >> 4;

	if (version != 4 && version != 6)
		return false;
	memmove(frame + cut, frame, RTE_ETHER_ADDR_LEN * 2);
	store16(frame + cut + 12, rte_cpu_to_be_16(version == 4 ? RTE_ETHER_TYPE_IPV4 : RTE_ETHER_TYPE_IPV6));
	(void)rte_pktmbuf_trim(m, (uint16_t)(m->data_len - inner - g->payload_bytes));
	(void)rte_pktmbuf_adj(m, (uint16_t)cut);
	return true;
}

/* Puts the frame's packet into a tunnel; qfi 0: without PDU Session Container. n3, peer and teid as in a packet. false:
 * there is no room before it. */
bool upf_wrap(struct rte_mbuf *m, struct packet *p, uint32_t n3, uint32_t peer, uint32_t teid, uint8_t qfi);

/* Makes the answer of an echo request (TS 29.281, 7.2). The packet is UDP over IPv4. false: there is no room for it. */
bool upf_answer_echo(struct rte_mbuf *m, struct packet *p, uint16_t sequence);

#endif
