/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_malloc.h>
#include <rte_memcpy.h>

#include "checksum.h"
#include "io/generator.h"

const struct nalm_outcome_spec generator_outcomes[] = {
	[GENERATOR_GENERATED] = {"generated", NALM_KIND_PASS},
	{NULL, 0},
};

static uint64_t all_packets(const struct flows *f, enum traffic_loop loop)
{
	return loop == TRAFFIC_FOREVER ? UINT64_MAX : (uint64_t)f->image_count * f->copies;
}

bool generator_open(struct generator *g, struct io *io, const struct traffic_settings *s, uint64_t limit)
{
	*g = (struct generator){.io = io, .learned = s->replies == REPLIES_LEARNED, .rewriting = s->copies > 1};
	if (!flows_create(&g->flows, s))
		return false;
	g->left = all_packets(&g->flows, s->loop);
	if (limit != 0 && limit < g->left)
		g->left = limit;
	/* once: copy after copy, so that each is sent whole and in order */
	g->cursor_count = s->loop == TRAFFIC_ONCE ? 1 : RTE_MIN(s->copies, GENERATOR_INTERLEAVE);
	g->next_copy = g->cursor_count % s->copies;
	for (uint32_t i = 0; i < g->cursor_count; i++)
		g->cursors[i] = (struct cursor){
			/* spread over the capture: passes in step would send the same packet of many users */
			.image = (uint32_t)((uint64_t)i * g->flows.image_count / g->cursor_count),
			.copy = i,
		};
	return true;
}

void generator_close(struct generator *g)
{
	flows_destroy(&g->flows);
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

#define SOURCE_AT 12u
#define DESTINATION_AT 16u

/* Gives the frame the addresses of its copy. */
static inline void address(const struct generator *g, uint8_t *frame, const struct image *image,
			   const struct flow *flow)
{
	uint8_t *source = frame + image->l4 + image->source, *destination = frame + image->l4 + image->destination;

	if (image->direction == IMAGE_OUT) {
		if (g->rewriting) {
			rewrite(frame, image, SOURCE_AT, flow->inside, source, load16(source));
			rewrite(frame, image, DESTINATION_AT, flow->server, destination, load16(destination));
		}
		return;
	}
	if (g->rewriting)
		rewrite(frame, image, SOURCE_AT, flow->server, source, load16(source));
	if (g->learned && flow->known)
		rewrite(frame, image, DESTINATION_AT, flow->seen, destination, flow->seen_port);
	else if (g->rewriting)
		rewrite(frame, image, DESTINATION_AT, flow->inside, destination, load16(destination));
}

/* Copies an image into a packet buffer. The tag tells the sink which flow comes out: index + 1, 0 for none. */
static inline void fill(const struct generator *g, struct rte_mbuf *m, uint32_t number, uint32_t copy)
{
	const struct image *image = &g->flows.images[number];
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);

	rte_memcpy(frame, image->data, image->bytes);
	m->data_len = (uint16_t)image->bytes;
	m->pkt_len = image->bytes;
	m->hash.usr = 0;
	if (image->direction == IMAGE_PLAIN)
		return;
	uint32_t index = image->endpoint * g->flows.copies + copy;
	address(g, frame, image, &g->flows.flow[index]);
	if (image->direction == IMAGE_OUT)
		m->hash.usr = index + 1;
}

static inline void advance(struct generator *g)
{
	struct cursor *c = &g->cursors[g->cursor];

	if (++c->image == g->flows.image_count) {
		c->image = 0;
		c->copy = g->next_copy;
		g->next_copy = g->next_copy + 1 == g->flows.copies ? 0 : g->next_copy + 1;
	}
	g->cursor = g->cursor + 1 == g->cursor_count ? 0 : g->cursor + 1;
}

static inline uint32_t room(const struct generator *g, uint64_t wanted)
{
	uint32_t n = RTE_MIN(g->io->batch_size, rte_ring_free_count(g->io->to_nf));
	return wanted < n ? (uint32_t)wanted : n;
}

__attribute__((noinline)) uint32_t generator_process(struct generator *g)
{
	struct rte_mbuf *mbufs[BATCH_MAX];
	uint32_t n = room(g, g->left);

	if (n == 0 || rte_pktmbuf_alloc_bulk(g->io->pool, mbufs, n) != 0)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct cursor *c = &g->cursors[g->cursor];
		fill(g, mbufs[i], c->image, c->copy);
		advance(g);
	}
	rte_ring_sp_enqueue_bulk(g->io->to_nf, (void **)mbufs, n, NULL);
	g->left -= n;
	return n;
}

uint32_t generator_prime(struct generator *g)
{
	uint64_t all = (uint64_t)g->flows.endpoint_count * g->flows.copies;
	struct rte_mbuf *mbufs[BATCH_MAX];
	uint32_t n = g->learned ? room(g, all - g->primed) : 0;

	if (n == 0 || rte_pktmbuf_alloc_bulk(g->io->pool, mbufs, n) != 0)
		return 0;
	for (uint32_t i = 0; i < n; i++, g->primed++)
		fill(g, mbufs[i], g->flows.first_image[g->primed / g->flows.copies],
		     (uint32_t)(g->primed % g->flows.copies));
	rte_ring_sp_enqueue_bulk(g->io->to_nf, (void **)mbufs, n, NULL);
	return n;
}
