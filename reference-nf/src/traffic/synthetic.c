/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include <rte_byteorder.h>
#include <rte_memcpy.h>
#include <rte_prefetch.h>

#include "packet/batch.h"
#include "traffic/addresses.h"
#include "traffic/made_frame.h"
#include "traffic/synthetic.h"

#define AT_IP ETHER_BYTES
#define AT_IP_CHECK (AT_IP + 10)
#define AT_SOURCE (AT_IP + 12)
#define AT_DESTINATION (AT_IP + 16)
#define AT_UDP (AT_IP + IPV4_MIN_BYTES)
#define AT_UDP_CHECK (AT_UDP + 6)
#define AT_PAYLOAD (AT_UDP + UDP_BYTES)

/* The payload is noise: it compresses no better and matches no more than what is encrypted. */
static void make_frame(struct synthetic_frame *f, uint32_t bytes)
{
	static const uint8_t ether[ETHER_BYTES] = {2, 0, 0, 0, 0x20, 1, 2, 0, 0, 0, 0x10, 1, 8, 0};
	uint32_t udp_bytes = bytes - AT_UDP;

	memset(f, 0, sizeof(*f));
	f->bytes = bytes;
	memcpy(f->data, ether, sizeof(ether));
	f->data[AT_IP] = 0x45;
	put_be16(f->data + AT_IP + 2, bytes - AT_IP);
	f->data[AT_IP + 6] = 0x40; /* DF: the identification may be 0 (RFC 6864, 4.1) */
	f->data[AT_IP + 8] = 64;
	f->data[AT_IP + 9] = IPPROTO_UDP;
	put_be16(f->data + AT_UDP + 4, udp_bytes);
	for (uint32_t at = AT_PAYLOAD; at < bytes - STAMP_BYTES; at++)
		f->data[at] = (uint8_t)mix64(at);
	f->ip_sum = sum_words(f->data + AT_IP, IPV4_MIN_BYTES);
	/* the pseudo-header's protocol and length, then the datagram */
	f->udp_sum = (uint32_t)rte_cpu_to_be_16(IPPROTO_UDP) + rte_cpu_to_be_16((uint16_t)udp_bytes) +
		     sum_words(f->data + AT_UDP, udp_bytes);
}

static bool make_frames(struct synthetic *s)
{
	uint32_t count = s->mixed ? MIXED_KINDS : s->mix->sizes;

	s->frames = calloc(count, sizeof(*s->frames));
	for (uint32_t i = 0; s->frames != NULL && i < count; i++) {
		struct synthetic_frame *f = &s->frames[i];
		uint32_t bytes = s->mixed ? s->settings->mixed.frame_bytes : s->mix->frame_bytes[i];
		if (!s->mixed || i == MIXED_IPV4) {
			make_frame(f, bytes);
		} else {
			f->bytes = bytes;
			f->udp_sum = mixed_make_frame(f->data, bytes, i);
		}
	}
	return s->frames != NULL;
}

/* Starts the next flow, in the place of an earlier one. */
static void give_birth(struct synthetic *s, struct synthetic_flow *flow)
{
	const struct traffic_settings *t = s->settings;
	uint64_t number = s->born++;
	uint8_t generation = (uint8_t)(flow->generation + 1);

	*flow = (struct synthetic_flow){
		.client = address_of_client(t->clients, (uint32_t)number + 1),
		.client_port = port_of_client(t->clients, number + 1),
		.server = address_of_server(t->inside, t->seed, (uint32_t)number),
		.server_port = rte_cpu_to_be_16(SYNTHETIC_SERVER_PORT),
		.generation = generation,
		.opened = s->made,
	};
	if (t->target_count != 0) {
		flow->server = t->targets[number % t->target_count].address;
		flow->server_port = t->targets[number % t->target_count].port;
	}
}

/* Packets are sent at rate_pps, or each takes ns_per_packet of virtual time. */
static uint64_t births_per_packet(const struct synthetic *s, uint64_t rate_pps)
{
	double births = (double)s->new_flows_per_second;

	births *= rate_pps != 0 ? 1 / (double)rate_pps : (double)s->settings->ns_per_packet / 1e9;
	return births < 1 ? (uint64_t)(births * 4294967296.0) : UINT64_C(1) << 32; /* a packet opens one flow */
}

void synthetic_set_rate(struct synthetic *s, uint64_t rate_pps)
{
	s->births_per_packet = births_per_packet(s, rate_pps);
}

bool synthetic_open(struct synthetic *s, const struct traffic_settings *t, uint32_t reply_after)
{
	*s = (struct synthetic){
		.count = t->flows,
		.mixed = t->profile == PROFILE_MIX,
		.mix = t->profile == PROFILE_MIX ? NULL : profile_mix(t->profile),
		.reply_percent = t->reply_percent,
		.reply_after = reply_after,
		.made = reply_after, /* flows are open at the start */
		.learned = t->replies == REPLIES_LEARNED,
		.new_flows_per_second = t->new_flows_per_second,
		.settings = t,
	};
	synthetic_set_rate(s, t->rate_pps);
	s->flows = aligned_alloc(64, (size_t)s->count * sizeof(*s->flows));
	if (s->flows == NULL || !make_frames(s) || !flow_pick_open(&s->pick, s->count, t->zipf_exponent, t->seed)) {
		fprintf(stderr, "traffic: no memory for %u flows\n", s->count);
		synthetic_close(s);
		return false;
	}
	memset(s->flows, 0, (size_t)s->count * sizeof(*s->flows));
	for (uint32_t i = 0; i < s->count; i++) {
		give_birth(s, &s->flows[i]);
		s->flows[i].opened = 0;
	}
	return true;
}

void synthetic_close(struct synthetic *s)
{
	free(s->flows);
	free(s->frames);
	flow_pick_close(&s->pick);
	*s = (struct synthetic){.count = 0};
}

/* Each direction has a sequence of sizes of its own, so that each gets the whole mix. */
static inline const struct synthetic_frame *next_frame(struct synthetic *s, uint32_t flow, enum stamp_direction direction)
{
	uint32_t at = s->at[direction];

	if (s->mixed)
		return &s->frames[flow % MIXED_KINDS];
	s->at[direction] = at + 1 == s->mix->order_count ? 0 : at + 1;
	return &s->frames[s->mix->order[at]];
}

struct ends {
	uint32_t source, destination;
	uint16_t source_port, destination_port;
};

static inline struct ends ends_of(const struct synthetic *s, const struct synthetic_flow *f, enum stamp_direction direction)
{
	if (direction == STAMP_OUTBOUND)
		return (struct ends){f->client, f->server, f->client_port, f->server_port};
	if (s->learned)
		return (struct ends){f->answers, f->seen, f->answers_port, f->seen_port};
	return (struct ends){f->server, f->client, f->server_port, f->client_port};
}

static inline void write_ends(uint8_t *data, const struct synthetic_frame *frame, const struct ends *e)
{
	memcpy(data + AT_SOURCE, &e->source, 4);
	memcpy(data + AT_DESTINATION, &e->destination, 4);
	store16(data + AT_UDP, e->source_port);
	store16(data + AT_UDP + 2, e->destination_port);
	uint32_t addresses = sum_words(data + AT_SOURCE, 8);
	uint16_t check = fold(frame->udp_sum + addresses + e->source_port + e->destination_port +
			      sum_words(data + frame->bytes - STAMP_BYTES, STAMP_BYTES));
	store16(data + AT_IP_CHECK, fold(frame->ip_sum + addresses));
	store16(data + AT_UDP_CHECK, check == 0 ? 0xffff : check); /* RFC 768 */
}

static inline void make_packet(struct synthetic *s, struct rte_mbuf *m, uint32_t number, enum stamp_direction direction,
			       uint64_t time)
{
	struct synthetic_flow *flow = &s->flows[number];
	const struct synthetic_frame *frame = next_frame(s, number, direction);
	const struct stamp stamp = {
		.generation = flow->generation,
		.flow = number | (direction == STAMP_INBOUND ? STAMP_REPLY : 0),
		.sequence = flow->sent[direction]++,
		.time = time,
	};
	const struct ends ends = ends_of(s, flow, direction);
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);

	rte_memcpy(data, frame->data, s->mixed ? frame->bytes : frame->bytes - STAMP_BYTES);
	if (!s->mixed || mixed_has_stamp(data, frame->bytes))
		stamp_write(data + frame->bytes - STAMP_BYTES, &stamp);
	if (!s->mixed || number % MIXED_KINDS == MIXED_IPV4)
		write_ends(data, frame, &ends);
	else
		mixed_address(&s->settings->mixed, data, number % MIXED_KINDS, number, frame->udp_sum);
	m->data_len = (uint16_t)frame->bytes;
	m->pkt_len = frame->bytes;
}

/* Makes a packet of the flow: a reply if one is owed and the far side knows the address. */
static inline enum stamp_direction next_direction(struct synthetic *s, const struct synthetic_flow *flow)
{
	s->reply_owed += s->reply_percent;
	if (s->reply_owed < 100)
		return STAMP_OUTBOUND;
	s->reply_owed -= 100;
	bool may = flow->known && s->made - flow->opened >= s->reply_after;
	return may || !s->learned ? STAMP_INBOUND : STAMP_OUTBOUND;
}

/* Ends the oldest flow and starts another, which this packet opens. */
static inline uint32_t replace_oldest(struct synthetic *s)
{
	uint32_t number = s->oldest;

	give_birth(s, &s->flows[number]);
	s->oldest = number + 1 == s->count ? 0 : number + 1;
	s->births_owed -= UINT64_C(1) << 32;
	return number;
}

void synthetic_fill(struct synthetic *s, struct rte_mbuf *mbufs[], uint32_t count, const struct synthetic_times *times,
		    struct tx_stats *tx_stats)
{
	uint32_t drawn[BATCH_MAX];

	for (uint32_t i = 0; i < count; i++) {
		drawn[i] = flow_pick_next(&s->pick);
		if (s->mixed) {
			drawn[i] = mixed_flow(drawn[i], s->count, s->next_kind);
			s->next_kind = s->next_kind + 1 == MIXED_KINDS ? 0 : s->next_kind + 1;
		}
		rte_prefetch0(&s->flows[drawn[i]]);
	}
	for (uint32_t i = 0; i < count; i++) {
		enum stamp_direction direction = STAMP_OUTBOUND;
		uint32_t number = drawn[i];

		s->births_owed += s->births_per_packet;
		if (s->births_owed >> 32 != 0)
			number = replace_oldest(s);
		else
			direction = next_direction(s, &s->flows[number]);
		make_packet(s, mbufs[i], number, direction, synthetic_time(times, i));
		s->made++;
		tx_stats_add(tx_stats, direction == STAMP_INBOUND ? TX_INBOUND : TX_OUTBOUND,
			    mbufs[i]->data_len);
	}
}

void synthetic_open_flows(struct synthetic *s, struct rte_mbuf *mbufs[], uint32_t count, uint64_t first)
{
	for (uint32_t i = 0; i < count; i++)
		make_packet(s, mbufs[i], (uint32_t)first + i, STAMP_OUTBOUND, 0);
}

void synthetic_skip(struct synthetic *s, uint64_t packets)
{
	s->births_owed += packets * s->births_per_packet;
}

static inline void learn(struct synthetic_flow *flow, const uint8_t *frame)
{
	memcpy(&flow->seen, frame + AT_SOURCE, 4);
	memcpy(&flow->answers, frame + AT_DESTINATION, 4);
	flow->seen_port = load16(frame + AT_UDP);
	flow->answers_port = load16(frame + AT_UDP + 2);
	flow->known = true;
}

void synthetic_arrive(struct synthetic *s, const struct rte_mbuf *m, struct meter *meter, uint64_t now)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	struct stamp stamp;

	if (s->mixed && m->data_len >= MIXED_FRAME_MIN && !mixed_has_stamp(frame, m->data_len)) {
		meter->received++;
		return;
	}
	if (m->data_len < AT_PAYLOAD + STAMP_BYTES || !stamp_read(frame + m->data_len - STAMP_BYTES, &stamp) ||
	    (stamp.flow & ~STAMP_REPLY) >= s->count) {
		meter->damaged++;
		return;
	}
	struct synthetic_flow *flow = &s->flows[stamp.flow & ~STAMP_REPLY];
	enum stamp_direction direction = (stamp.flow & STAMP_REPLY) != 0 ? STAMP_INBOUND : STAMP_OUTBOUND;
	if (stamp.generation != flow->generation) { /* of an ended flow, whose order is unknown */
		meter->received++;
		return;
	}
	if (direction == STAMP_OUTBOUND)
		learn(flow, frame);
	meter_arrival(meter, &flow->arrivals[direction], direction, stamp.sequence, stamp.time, now);
}
