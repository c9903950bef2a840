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

__attribute__((noinline)) uint32_t sink_process(struct sink *s)
{
	struct rte_mbuf *mbufs[BATCH_MAX];
	uint32_t n, all = 0;

	while ((n = rte_ring_sc_dequeue_burst(s->io->from_nf, (void **)mbufs, BATCH_MAX, NULL)) != 0) {
		for (uint32_t i = 0; i < n; i++) {
			if (mbufs[i]->hash.usr != 0)
				learn(s->flows, mbufs[i]);
			if (s->dump.path != NULL)
				dump_add(&s->dump, rte_pktmbuf_mtod(mbufs[i], uint8_t *), mbufs[i]->data_len,
					 s->packets * s->ns_per_packet);
			s->packets++;
		}
		rte_pktmbuf_free_bulk(mbufs, n);
		all += n;
	}
	return all;
}
