/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include <rte_bitops.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_prefetch.h>

#include "hop/hop_nf.h"
#include "packet/batch.h"

#define VIEWS_CACHE 256u
#define PREFETCH_AHEAD 4u

/* A stage dropped the packet: the library calls this when it frees the buffer, on any lcore. */
static void give_back(void *frame, void *arg)
{
	struct hop_nf *nf = arg;
	size_t slot = (size_t)((uint8_t *)frame - (nf->hop.frames - HOP_HEADROOM)) / nf->hop.slot_stride;
	uint32_t word = hop_word((uint32_t)slot, 0);

	rte_ring_mp_enqueue_bulk_elem(nf->hop.dropped, &word, sizeof(word), 1, NULL);
}

static bool make_views(struct hop_nf *nf, const struct hop_nf_settings *s)
{
	uint32_t views = rte_align32pow2(s->views + VIEWS_CACHE * 2 * rte_lcore_count()) - 1;

	nf->views = rte_pktmbuf_pool_create("views", views, VIEWS_CACHE, (uint16_t)s->private_bytes, 0,
					    (int)rte_socket_id());
	nf->infos = calloc(nf->hop.packets, sizeof(*nf->infos));
	for (uint32_t i = 0; nf->infos != NULL && i < nf->hop.packets; i++)
		nf->infos[i] = (struct rte_mbuf_ext_shared_info){.free_cb = give_back, .fcb_opaque = nf};
	return nf->views != NULL && nf->infos != NULL;
}

bool hop_nf_open(struct hop_nf *nf, const struct hop_nf_settings *s)
{
	*nf = (struct hop_nf){.left = s->limit == 0 ? UINT64_MAX : s->limit, .stop = s->stop};
	if (s->shared != NULL)
		nf->hop = *s->shared;
	else if (!hop_attach(&nf->hop, s->path, s->stop))
		return false;
	nf->is_attached = s->shared == NULL;
	if (nf->hop.fields.len.bytes == 0)
		fprintf(stderr, "hop: the packets' metadata has no field `len`\n");
	else if (!make_views(nf, s))
		fprintf(stderr, "hop: no memory for packet buffers: %s; give EAL more memory (-m)\n", rte_strerror(rte_errno));
	else {
		atomic_store_explicit(&nf->hop.header->attached, 1, memory_order_release); /* (A) */
		return true;
	}
	hop_nf_close(nf);
	return false;
}

void hop_nf_close(struct hop_nf *nf)
{
	rte_mempool_free(nf->views);
	free(nf->infos);
	if (nf->is_attached)
		hop_close(&nf->hop);
}

bool hop_nf_over(const struct hop_nf *nf)
{
	return stop_flag_is_set(nf->stop) || nf->left == 0 ||
	       atomic_load_explicit(&nf->hop.header->over, memory_order_acquire) != 0; /* pairs with (O) */
}

static inline void make_view(struct hop_nf *nf, struct rte_mbuf *m, uint32_t slot, uint32_t at, uint32_t bytes)
{
	const struct hop *h = &nf->hop;
	const uint8_t *record = hop_record(h, slot);

	m->buf_addr = hop_frame(h, slot) - HOP_HEADROOM;
	m->buf_len = HOP_HEADROOM + HOP_FRAME_BYTES;
	m->data_off = (uint16_t)at;
	m->data_len = (uint16_t)bytes;
	m->pkt_len = bytes;
	m->port = (uint16_t)field_read(record, h->fields.port);
	m->hash.rss = (uint32_t)field_read(record, h->fields.hash);
	m->packet_type = (uint32_t)field_read(record, h->fields.packet_type);
	m->vlan_tci = (uint16_t)field_read(record, h->fields.vlan_tci);
	m->tx_offload = field_read(record, h->fields.tx_offload);
	m->shinfo = &nf->infos[slot];
	m->ol_flags = field_read(record, h->fields.ol_flags) | RTE_MBUF_F_EXTERNAL;
	rte_mbuf_ext_refcnt_set(m->shinfo, 1);
}

static inline void prefetch(const struct hop *h, uint32_t word)
{
	uint32_t slot = word & HOP_WORD_SLOT & (h->packets - 1);

	rte_prefetch0(hop_record(h, slot));
	rte_prefetch0(hop_frame(h, slot));
}

/* Checks a word from the other process. Returns the frame's length; 0: the word is refused. */
static inline uint32_t sound_length(const struct hop_nf *nf, uint32_t word)
{
	uint32_t slot = word & HOP_WORD_SLOT, at = word >> HOP_WORD_SHIFT;

	if (slot >= nf->hop.packets)
		return 0;
	uint64_t bytes = field_read(hop_record(&nf->hop, slot), nf->hop.fields.len);
	return at <= HOP_HEADROOM + HOP_FRAME_BYTES && bytes <= HOP_HEADROOM + HOP_FRAME_BYTES - at ? (uint32_t)bytes : 0;
}

/* A slot that the word names goes back, as that of a packet which a stage drops: the switch waits for it. */
static __rte_noinline void refuse_word(struct hop_nf *nf, struct rte_mbuf *view, uint32_t slot)
{
	nf->refused++;
	if (slot < nf->hop.packets) {
		make_view(nf, view, slot, HOP_HEADROOM, 0);
		batch_free(&view, 1);
	} else {
		rte_mempool_put(nf->views, view);
	}
}

uint16_t hop_nf_receive(struct hop_nf *nf, struct rte_mbuf *mbufs[], uint16_t count)
{
	uint32_t words[BATCH_MAX];
	uint16_t good = 0;

	if (nf->left < count)
		count = (uint16_t)nf->left;
	uint32_t n = hop_take(nf->hop.filled, words, count);
	if (n == 0 || rte_mempool_get_bulk(nf->views, (void **)mbufs, n) != 0)
		return 0;
	for (uint32_t i = 0; i < n && i < PREFETCH_AHEAD; i++)
		prefetch(&nf->hop, words[i]);
	for (uint32_t i = 0; i < n; i++) {
		if (i + PREFETCH_AHEAD < n)
			prefetch(&nf->hop, words[i + PREFETCH_AHEAD]);
		uint32_t slot = words[i] & HOP_WORD_SLOT, bytes = sound_length(nf, words[i]);
		struct rte_mbuf *view = mbufs[i];
		if (likely(bytes != 0)) {
			make_view(nf, view, slot, words[i] >> HOP_WORD_SHIFT, bytes);
			mbufs[good++] = view;
		} else {
			refuse_word(nf, view, slot);
		}
	}
	nf->left -= good;
	return good;
}

uint16_t hop_nf_send(const struct hop_nf *nf, uint16_t queue, struct rte_mbuf *mbufs[], uint16_t count)
{
	const struct hop *h = &nf->hop;
	uint32_t words[BATCH_MAX];

	for (uint32_t i = 0; i < count; i++) {
		struct rte_mbuf *m = mbufs[i];
		uint32_t slot = (uint32_t)(m->shinfo - nf->infos);
		uint8_t *record = hop_record(h, slot);
		field_write(record, h->fields.len, m->data_len);
		field_write(record, h->fields.port, m->port);
		words[i] = hop_word(slot, m->data_off);
	}
	hop_put(h->done[queue], words, count);
	rte_mempool_put_bulk(nf->views, (void **)mbufs, count);
	return count;
}
