/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/sink.h"

const struct nalm_outcome_spec sink_outcomes[] = {
	[SINK_RECEIVED] = {"received", NALM_KIND_PASS},
	{NULL, 0},
};

/* The packet left as IPv4 with the headers it came with: the image's offsets still hold. */
static inline void learn(struct flows *f, const struct rte_mbuf *m)
{
	uint32_t index = m->hash.usr - 1;
	struct flow *flow = &f->flow[index];
	const struct image *image = &f->images[f->first_image[index / f->copies]];
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t l4 = ETHER_BYTES + (uint32_t)(frame[ETHER_BYTES] & 0xf) * 4;

	memcpy(&flow->seen, frame + ETHER_BYTES + 12, 4);
	flow->seen_port = load16(frame + l4 + image->source);
	flow->known = true;
}

static inline void take_packet(struct sink *s, struct rte_mbuf *m)
{
	if (m->hash.usr != 0)
		learn(s->flows, m);
	if (s->dump.path != NULL)
		dump_add(&s->dump, rte_pktmbuf_mtod(m, uint8_t *), m->data_len, s->packets * s->ns_per_packet);
	s->packets++;
}

static inline uint32_t take_all(struct sink *s, struct rte_ring *from)
{
	struct rte_mbuf *mbufs[BATCH_MAX];
	uint32_t n, all = 0;

	while ((n = rte_ring_sc_dequeue_burst(from, (void **)mbufs, BATCH_MAX, NULL)) != 0) {
		for (uint32_t i = 0; i < n; i++)
			take_packet(s, mbufs[i]);
		rte_pktmbuf_free_bulk(mbufs, n);
		all += n;
	}
	return all;
}

__attribute__((noinline)) uint32_t sink_process(struct sink *s)
{
	uint32_t all = 0;

	for (uint32_t q = 0; q < s->io->queues; q++)
		all += take_all(s, s->io->from_nf[q]);
	return all;
}
