/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include <rte_memcpy.h>
#include <rte_prefetch.h>

#include "packet/batch.h"
#include "traffic/addresses.h"
#include "traffic/made_frame.h"
#include "traffic/service.h"
#include "upf/upf_tunnel.h"

#define AT_IP ETHER_BYTES
#define AT_SOURCE (AT_IP + 12)
#define AT_L4 (AT_IP + IPV4_MIN_BYTES)
#define TUNNEL_BYTES (UPF_TUNNEL_BYTES + UPF_CONTAINER_BYTES)
#define SERVERS 4096u
#define HTTP_PORT 80u
#define FAR_PORT 443u /* of UDP without a dynamic policy */

/* Bytes of frames with their check sequence, and how many of 50 packets have each: 40 of TCP, 10 of UDP, 690 bytes in
 * the mean. */
struct size {
	uint16_t bytes;
	uint8_t of_50;
	bool udp;
};

static const struct size sizes[] = {
	{80, 14, false}, {576, 6, false}, {705, 4, false}, {1518, 16, false}, {64, 4, true},
	{128, 2, true},	 {256, 2, true},  {512, 1, true},  {1280, 1, true},
};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))
#define MIX 50u
#define STRIDE 19u /* has no factor with MIX: neighbours are of different sizes */

/* Sizes in the order they are sent in. */
static uint8_t order[MIX];

static void make_order(void)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < SIZES; i++)
		for (uint32_t k = 0; k < sizes[i].of_50; k++, at = (at + STRIDE) % MIX)
			order[at] = (uint8_t)i;
}

/* A request for a page, as far as there is room before the stamp, then noise. */
static void fill_payload(uint8_t *at, uint32_t bytes, bool http)
{
	static const char request[] = "GET /index.html HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: browser/5.0\r\n"
				      "Accept: */*\r\n\r\n";

	for (uint32_t i = 0; i < bytes; i++)
		at[i] = http && i < sizeof(request) - 1 ? (uint8_t)request[i] : (uint8_t)mix64(i);
}

static void make_frame(struct service_frame *f, const struct size *size, enum stamp_direction direction)
{
	static const uint8_t ether[ETHER_BYTES] = {2, 0, 0, 0, 0x20, 1, 2, 0, 0, 0, 0x10, 1, 8, 0};
	uint32_t bytes = size->bytes - 4u, header = size->udp ? UDP_BYTES : TCP_MIN_BYTES, l4_bytes = bytes - AT_L4;
	uint16_t near_port = (uint16_t)(CLIENT_PORT_MIN + 40000), far_port = size->udp ? FAR_PORT : HTTP_PORT;
	bool out = direction == STAMP_OUTBOUND;

	f->bytes = bytes;
	f->udp = size->udp;
	memcpy(f->data, ether, sizeof(ether));
	f->data[AT_IP] = 0x45;
	put_be16(f->data + AT_IP + 2, bytes - AT_IP);
	f->data[AT_IP + 6] = 0x40; /* DF: the identification may be 0 (RFC 6864, 4.1) */
	f->data[AT_IP + 8] = 64;
	f->data[AT_IP + 9] = size->udp ? IPPROTO_UDP : IPPROTO_TCP;
	put_be16(f->data + AT_L4, out ? near_port : far_port);
	put_be16(f->data + AT_L4 + 2, out ? far_port : near_port);
	if (size->udp) {
		put_be16(f->data + AT_L4 + 4, l4_bytes);
	} else {
		f->data[AT_L4 + 12] = 0x50;
		f->data[AT_L4 + 13] = 0x10; /* ACK */
		put_be16(f->data + AT_L4 + 14, UINT16_MAX);
	}
	fill_payload(f->data + AT_L4 + header, l4_bytes - header - STAMP_BYTES, !size->udp && out);
	f->ip_sum = sum_words(f->data + AT_IP, IPV4_MIN_BYTES);
	/* the pseudo-header's protocol and length, then the segment; odd ones end with a byte of the stamp */
	f->l4_sum = (uint32_t)rte_cpu_to_be_16(f->data[AT_IP + 9]) + rte_cpu_to_be_16((uint16_t)l4_bytes);
}

static bool make_frames(struct service *s)
{
	make_order();
	for (uint32_t d = 0; d < STAMP_DIRECTIONS; d++) {
		s->frames[d] = calloc(SIZES, sizeof(*s->frames[d]));
		for (uint32_t i = 0; s->frames[d] != NULL && i < SIZES; i++)
			make_frame(&s->frames[d][i], &sizes[i], d);
	}
	return s->frames[STAMP_OUTBOUND] != NULL && s->frames[STAMP_INBOUND] != NULL;
}

bool service_open(struct service *s, const struct traffic_settings *t)
{
	*s = (struct service){.settings = t};
	s->flows = calloc(service_flows(s), sizeof(*s->flows));
	if (s->flows != NULL && make_frames(s) && flow_pick_open(&s->pick, t->subscribers.count, 0, t->seed))
		return true;
	fprintf(stderr, "traffic: no memory for %u subscribers\n", t->subscribers.count);
	service_close(s);
	return false;
}

void service_close(struct service *s)
{
	free(s->flows);
	free(s->frames[STAMP_OUTBOUND]);
	free(s->frames[STAMP_INBOUND]);
	flow_pick_close(&s->pick);
	*s = (struct service){.settings = NULL};
}

uint64_t service_flows(const struct service *s)
{
	return (uint64_t)s->settings->subscribers.count * SERVICE_PROTOCOLS;
}

/* Of UDP, the far side's port tells the dynamic policy of a subscriber that has one. */
static inline void write_far_port(uint8_t *data, uint32_t subscriber, enum stamp_direction direction)
{
	if (upf_has_dedicated(subscriber))
		put_be16(data + AT_L4 + (direction == STAMP_OUTBOUND ? 2 : 0),
			 UPF_DYNAMIC_PORT + upf_dynamic_policy(subscriber));
}

static inline void write_sums(uint8_t *data, const struct service_frame *f)
{
	uint32_t addresses = sum_words(data + AT_SOURCE, 8), l4_bytes = f->bytes - AT_L4;
	uint32_t odd = l4_bytes % 2 == 0 ? 0 : data[f->bytes - 1];
	uint8_t *check = data + AT_L4 + (f->udp ? 6 : 16);

	store16(data + AT_IP + 10, fold(f->ip_sum + addresses));
	store16(check, 0);
	uint16_t sum = fold(f->l4_sum + addresses + sum_words(data + AT_L4, l4_bytes - l4_bytes % 2) + odd);
	store16(check, sum == 0 && f->udp ? 0xffff : sum); /* RFC 768 */
}

/* Before the frame's IP packet, whose place is TUNNEL_BYTES behind. */
static inline void write_tunnel(uint8_t *data, const struct service *s, uint32_t subscriber, const struct service_frame *f)
{
	const struct upf_subscribers *u = &s->settings->subscribers;
	uint32_t inner = f->bytes - ETHER_BYTES, bearer = f->udp && upf_has_dedicated(subscriber) ? 1 : 0;
	uint32_t teid = htonl(upf_subscriber_teid(subscriber, bearer));
	uint8_t *ip = data + ETHER_BYTES, *gtp = ip + IPV4_MIN_BYTES + UDP_BYTES;
	/* no sequence; a PDU Session Container of one unit, uplink, with its QFI (TS 38.415, 5.5.2.2) */
	const uint8_t more[UPF_CONTAINER_BYTES] = {0, 0, 0, GTPU_SESSION_CONTAINER, 1, 0x10, (uint8_t)(bearer + 1), 0};

	upf_write_outer(ip, upf_access_node(u, subscriber), u->n3, GTPU_PORT, GTPU_PORT,
			UDP_BYTES + GTPU_BYTES + UPF_CONTAINER_BYTES + inner);
	gtp[0] = 0x30 | GTPU_HAS_EXTENSION;
	gtp[1] = GTPU_G_PDU;
	put_be16(gtp + 2, UPF_CONTAINER_BYTES + inner);
	memcpy(gtp + 4, &teid, sizeof(teid));
	memcpy(gtp + GTPU_BYTES, more, sizeof(more));
}

static inline void write_addresses(uint8_t *data, const struct service *s, uint32_t subscriber,
				   enum stamp_direction direction)
{
	uint32_t near = upf_subscriber_address(&s->settings->subscribers, subscriber);
	uint32_t far = address_of_server(s->settings->subscribers.clients, s->settings->seed, subscriber % SERVERS);

	memcpy(data + AT_SOURCE, direction == STAMP_OUTBOUND ? &near : &far, 4);
	memcpy(data + AT_SOURCE + 4, direction == STAMP_OUTBOUND ? &far : &near, 4);
}

static inline const struct service_frame *next_frame(struct service *s, enum stamp_direction direction)
{
	uint32_t at = s->at[direction];

	s->at[direction] = at + 1 == MIX ? 0 : at + 1;
	return &s->frames[direction][order[at]];
}

static inline void make_packet(struct service *s, struct rte_mbuf *m, uint32_t subscriber, enum stamp_direction direction,
			       uint64_t time)
{
	const struct service_frame *f = next_frame(s, direction);
	uint32_t number = subscriber * SERVICE_PROTOCOLS + f->udp, tunnel = direction == STAMP_OUTBOUND ? TUNNEL_BYTES : 0;
	const struct stamp stamp = {
		.flow = number | (direction == STAMP_INBOUND ? STAMP_REPLY : 0),
		.sequence = s->flows[number].sent[direction]++,
		.time = time,
	};
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *), *data = frame + tunnel;

	rte_memcpy(data, f->data, f->bytes - STAMP_BYTES);
	stamp_write(data + f->bytes - STAMP_BYTES, &stamp);
	write_addresses(data, s, subscriber, direction);
	if (f->udp)
		write_far_port(data, subscriber, direction);
	write_sums(data, f);
	if (direction == STAMP_OUTBOUND) {
		memcpy(frame, f->data, ETHER_BYTES);
		write_tunnel(frame, s, subscriber, f);
	}
	m->data_len = (uint16_t)(f->bytes + tunnel);
	m->pkt_len = m->data_len;
}

static inline enum stamp_direction next_direction(struct service *s)
{
	s->reply_owed += s->settings->reply_percent;
	if (s->reply_owed < 100)
		return STAMP_OUTBOUND;
	s->reply_owed -= 100;
	return STAMP_INBOUND;
}

void service_fill(struct service *s, struct rte_mbuf *mbufs[], uint32_t count, const struct synthetic_times *times,
		  struct tx_stats *tx_stats)
{
	uint32_t drawn[BATCH_MAX];

	for (uint32_t i = 0; i < count; i++) {
		drawn[i] = flow_pick_next(&s->pick);
		rte_prefetch0(&s->flows[drawn[i] * SERVICE_PROTOCOLS]);
	}
	for (uint32_t i = 0; i < count; i++) {
		enum stamp_direction direction = next_direction(s);
		make_packet(s, mbufs[i], drawn[i], direction, synthetic_time(times, i));
		tx_stats_add(tx_stats, direction == STAMP_INBOUND ? TX_INBOUND : TX_OUTBOUND, mbufs[i]->data_len);
	}
}

void service_arrive(struct service *s, const struct rte_mbuf *m, struct meter *meter, uint64_t now)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct stamp stamp;

	if (m->data_len < AT_L4 + UDP_BYTES + STAMP_BYTES || !stamp_read(frame + m->data_len - STAMP_BYTES, &stamp) ||
	    (stamp.flow & ~STAMP_REPLY) >= service_flows(s)) {
		meter->damaged++;
		return;
	}
	struct service_flow *flow = &s->flows[stamp.flow & ~STAMP_REPLY];
	enum stamp_direction direction = (stamp.flow & STAMP_REPLY) != 0 ? STAMP_INBOUND : STAMP_OUTBOUND;
	meter_arrival(meter, &flow->arrivals[direction], direction, stamp.sequence, stamp.time, now);
}
