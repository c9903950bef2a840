/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_memcpy.h>

#include "packet/checksum.h"
#include "traffic/replay.h"

#define SOURCE_AT 12u
#define DESTINATION_AT 16u

static void open_part(struct replay_part *p, uint32_t first, uint32_t end, const struct traffic_settings *s)
{
	*p = (struct replay_part){.first_image = first, .end_image = end};
	/* once: copy after copy, so that each is sent completely and in order */
	p->cursor_count = s->loop == TRAFFIC_ONCE ? 1 : RTE_MIN(s->copies, REPLAY_INTERLEAVE);
	p->next_copy = p->cursor_count % s->copies;
	for (uint32_t i = 0; i < p->cursor_count; i++)
		p->cursors[i] = (struct cursor){
			/* spread over the capture, because passes in step would send the same packet of many users */
			.image = first + (uint32_t)((uint64_t)i * (end - first) / p->cursor_count),
			.copy = i,
		};
}

bool replay_open(struct replay *r, const struct traffic_settings *s)
{
	const struct profile_part *parts;

	*r = (struct replay){
		.learned = s->replies == REPLIES_LEARNED,
		.targeted = s->target_count != 0,
		.rewriting = s->copies > 1 || s->target_count != 0,
	};
	if (!flows_create(&r->flows, s))
		return false;
	profile_parts(s->profile, &parts);
	for (uint32_t i = 0; i < r->flows.parts; i++) {
		open_part(&r->parts[i], i == 0 ? 0 : r->flows.part_end[i - 1], r->flows.part_end[i], s);
		r->parts[i].percent = parts[i].percent;
	}
	return true;
}

void replay_close(struct replay *r)
{
	flows_destroy(&r->flows);
}

uint64_t replay_packets(const struct replay *r)
{
	return (uint64_t)r->flows.image_count * r->flows.copies;
}

static inline void rewrite(uint8_t *frame, const struct image *image, uint32_t address_at, uint32_t address,
			   uint8_t *port, uint16_t to_port)
{
	uint8_t *at = frame + ETHER_BYTES + address_at, *l4 = frame + image->l4;
	uint8_t *check = frame + ETHER_BYTES + 10;
	uint32_t was;

	memcpy(&was, at, 4);
	memcpy(at, &address, 4);
	uint32_t delta = checksum_delta32(was, address);
	uint32_t port_delta = checksum_delta16(load16(port), to_port);
	store16(port, to_port);
	store16(check, checksum_apply(load16(check), delta));
	if (image->protocol == IPPROTO_TCP)
		store16(l4 + 16, checksum_apply(load16(l4 + 16), delta + port_delta));
	else if (image->protocol == IPPROTO_UDP)
		store16(l4 + 6, checksum_apply_udp(load16(l4 + 6), delta + port_delta));
	else
		store16(l4 + 2, checksum_apply(load16(l4 + 2), port_delta));
}

/* Sets the far side's port to the target's; an echo's identifier stays. */
static inline uint16_t server_port(const struct replay *r, const struct image *image, const struct flow *flow,
				   const uint8_t *port)
{
	return r->targeted && image->protocol != IPPROTO_ICMP ? flow->server_port : load16(port);
}

/* Writes the addresses of the copy into the frame. */
static inline void address(const struct replay *r, uint8_t *frame, const struct image *image, const struct flow *flow)
{
	uint8_t *source = frame + image->l4 + image->source, *destination = frame + image->l4 + image->destination;
	bool known = r->learned && flow->known;

	if (image->direction == IMAGE_OUT) {
		if (r->rewriting) {
			rewrite(frame, image, SOURCE_AT, flow->inside, source, load16(source));
			rewrite(frame, image, DESTINATION_AT, flow->server, destination,
				server_port(r, image, flow, destination));
		}
		return;
	}
	if (r->targeted && known)
		rewrite(frame, image, SOURCE_AT, flow->answers, source, flow->answers_port);
	else if (r->rewriting)
		rewrite(frame, image, SOURCE_AT, flow->server, source, server_port(r, image, flow, source));
	if (known)
		rewrite(frame, image, DESTINATION_AT, flow->seen, destination, flow->seen_port);
	else if (r->rewriting)
		rewrite(frame, image, DESTINATION_AT, flow->inside, destination, load16(destination));
}

/* Copies an image into a packet buffer. The tag tells the sink the flow: index + 1, 0 for none. */
static inline void fill(const struct replay *r, struct rte_mbuf *m, uint32_t number, uint32_t copy)
{
	const struct image *image = &r->flows.images[number];
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);

	rte_memcpy(frame, image->data, image->bytes);
	m->data_len = (uint16_t)image->bytes;
	m->pkt_len = image->bytes;
	m->hash.usr = 0;
	if (image->direction == IMAGE_PLAIN)
		return;
	uint32_t index = image->endpoint * r->flows.copies + copy;
	address(r, frame, image, &r->flows.flow[index]);
	if (image->direction == IMAGE_OUT)
		m->hash.usr = index + 1;
}

static inline void advance(struct replay_part *p, uint32_t copies)
{
	struct cursor *c = &p->cursors[p->cursor];

	if (++c->image == p->end_image) {
		c->image = p->first_image;
		c->copy = p->next_copy;
		p->next_copy = p->next_copy + 1 == copies ? 0 : p->next_copy + 1;
	}
	p->cursor = p->cursor + 1 == p->cursor_count ? 0 : p->cursor + 1;
}

/* The part that is furthest below its share. */
static inline struct replay_part *next_part(struct replay *r)
{
	struct replay_part *next = &r->parts[0];

	if (r->flows.parts == 1)
		return next;
	for (uint32_t i = 0; i < r->flows.parts; i++) {
		r->parts[i].owed += r->parts[i].percent;
		if ((int32_t)(r->parts[i].owed - next->owed) > 0)
			next = &r->parts[i];
	}
	next->owed -= 100;
	return next;
}

void replay_fill(struct replay *r, struct rte_mbuf *mbufs[], uint32_t count, struct tx_stats *tx_stats)
{
	static const enum tx_direction directions[] = {
		[IMAGE_PLAIN] = TX_OTHER,
		[IMAGE_OUT] = TX_OUTBOUND,
		[IMAGE_IN] = TX_INBOUND,
	};

	for (uint32_t i = 0; i < count; i++) {
		struct replay_part *part = next_part(r);
		const struct cursor *c = &part->cursors[part->cursor];
		const struct image *image = &r->flows.images[c->image];
		fill(r, mbufs[i], c->image, c->copy);
		tx_stats_add(tx_stats, directions[image->direction], image->bytes);
		advance(part, r->flows.copies);
	}
}

void replay_open_flows(struct replay *r, struct rte_mbuf *mbufs[], uint32_t count, uint64_t first)
{
	for (uint32_t i = 0; i < count; i++)
		fill(r, mbufs[i], r->flows.first_image[(first + i) / r->flows.copies],
		     (uint32_t)((first + i) % r->flows.copies));
}

/* The packet left as IPv4 with the same headers, so the image's offsets are valid. */
void replay_learn(struct replay *r, const struct rte_mbuf *m)
{
	uint32_t index = m->hash.usr - 1;
	struct flow *flow = &r->flows.flow[index];
	const struct image *image = &r->flows.images[r->flows.first_image[index / r->flows.copies]];
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t l4 = ETHER_BYTES + (uint32_t)(frame[ETHER_BYTES] & 0xf) * 4;

	memcpy(&flow->seen, frame + ETHER_BYTES + SOURCE_AT, 4);
	flow->seen_port = load16(frame + l4 + image->source);
	memcpy(&flow->answers, frame + ETHER_BYTES + DESTINATION_AT, 4);
	flow->answers_port = load16(frame + l4 + image->destination);
	flow->known = true;
}
