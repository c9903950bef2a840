/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "hop/hop_device.h"
#include "hop/hop_switch.h"

#define QUIET_MS 2000u
#define WAIT_US 2000u

static bool make_slots(struct hop_switch *s)
{
	s->away = calloc(s->hop.packets, sizeof(*s->away));
	s->free = calloc(s->hop.packets, sizeof(*s->free));
	s->free_count = s->hop.packets - 1; /* a ring of so many places holds one less */
	for (uint32_t i = 0; s->free != NULL && i < s->hop.packets; i++)
		s->free[i] = (uint16_t)i;
	return s->away != NULL && s->free != NULL;
}

bool hop_switch_open(struct hop_switch *s, const struct hop_switch_settings *settings)
{
	*s = (struct hop_switch){
		.from = settings->from,
		.to = settings->to,
		.batch_size = settings->batch_size,
		.queues = settings->queues,
		.has_device = hop_has_port(settings->hop),
		.quiet = rte_get_tsc_hz() / 1000 * QUIET_MS,
	};
	if (s->has_device) {
		if (!hop_device_listen(settings->hop, settings->pool, &s->device))
			return false;
		s->device_path = strdup(settings->hop->path);
		return s->device_path != NULL;
	}
	if (!hop_create(&s->hop, settings->hop))
		return false;
	if (make_slots(s))
		return true;
	fprintf(stderr, "hop: no memory for %u slots\n", s->hop.packets);
	return false;
}

void hop_switch_close(struct hop_switch *s)
{
	if (s->has_device)
		hop_device_close(s->device, s->device_path);
	free(s->device_path);
	free(s->away);
	free(s->free);
	hop_close(&s->hop);
}

static bool is_met(const struct hop_switch *s)
{
	if (s->has_device)
		return hop_device_is_met(s->device);
	return atomic_load_explicit(&s->hop.header->attached, memory_order_acquire) != 0; /* pairs with (A) */
}

bool hop_switch_meet(const struct hop_switch *s, const struct stop_flag *stop)
{
	bool met;

	while (!(met = is_met(s)) && !stop_flag_is_set(stop))
		rte_delay_us_sleep(WAIT_US);
	return met;
}

/* A device does not say what the NF dropped: a quiet time has to do. */
bool hop_switch_expects(const struct hop_switch *s, bool stops)
{
	bool heard = rte_rdtsc() - s->heard < s->quiet;

	if (!s->has_device)
		return s->crossing != 0 && (!stops || heard);
	return !stops && (s->waiting_count != 0 || heard);
}

void hop_switch_end(struct hop_switch *s)
{
	if (!s->has_device)
		atomic_store_explicit(&s->hop.header->over, 1, memory_order_release); /* (O) */
}

static inline uint32_t take_slot(struct hop_switch *s)
{
	uint32_t slot = s->free[s->free_at];

	s->free_at = (s->free_at + 1) & (s->hop.packets - 1);
	s->free_count--;
	return slot;
}

static inline void free_slot(struct hop_switch *s, uint32_t slot)
{
	s->away[slot] = NULL;
	s->free[(s->free_at + s->free_count++) & (s->hop.packets - 1)] = (uint16_t)slot;
}

static inline uint32_t fill(struct hop_switch *s, struct rte_mbuf *m)
{
	uint32_t slot = take_slot(s);
	uint8_t *record = hop_record(&s->hop, slot);

	memcpy(hop_frame(&s->hop, slot), rte_pktmbuf_mtod(m, uint8_t *), m->data_len);
	field_write(record, s->hop.fields.len, m->data_len);
	field_write(record, s->hop.fields.port, m->port);
	field_write(record, s->hop.fields.hash, m->hash.rss);
	field_write(record, s->hop.fields.packet_type, m->packet_type);
	field_write(record, s->hop.fields.ol_flags, m->ol_flags);
	field_write(record, s->hop.fields.vlan_tci, m->vlan_tci);
	field_write(record, s->hop.fields.tx_offload, m->tx_offload);
	s->away[slot] = m;
	return hop_word(slot, HOP_HEADROOM);
}

static uint32_t send_by_device(struct hop_switch *s)
{
	if (s->waiting_count == 0)
		s->waiting_count = rte_ring_sc_dequeue_burst(s->from, (void **)s->waiting, s->batch_size, NULL);
	uint16_t sent = rte_eth_tx_burst(s->device, 0, s->waiting, (uint16_t)s->waiting_count);
	s->waiting_count -= sent;
	memmove(s->waiting, s->waiting + sent, s->waiting_count * sizeof(s->waiting[0]));
	if (sent != 0)
		s->heard = rte_rdtsc();
	return s->waiting_count + rte_ring_count(s->from);
}

uint32_t hop_switch_send(struct hop_switch *s)
{
	struct rte_mbuf *mbufs[BATCH_MAX];
	uint32_t words[BATCH_MAX];

	if (s->has_device)
		return send_by_device(s);
	uint32_t n = rte_ring_sc_dequeue_burst(s->from, (void **)mbufs, RTE_MIN(s->batch_size, s->free_count), NULL);
	uint32_t filled = 0, gone = 0;
	for (uint32_t i = 0; i < n; i++)
		if (likely(mbufs[i]->data_len <= HOP_FRAME_BYTES))
			words[filled++] = fill(s, mbufs[i]);
		else
			mbufs[gone++] = mbufs[i]; /* the first NF's stages have made it longer */
	if (filled != 0)
		hop_put(s->hop.filled, words, filled);
	if (gone != 0)
		batch_free(mbufs, gone);
	s->crossing += filled;
	s->too_long += gone;
	return rte_ring_count(s->from);
}

/* The packet that a word names, taken from its slot; NULL: it names none. */
static inline struct rte_mbuf *arrive(struct hop_switch *s, uint32_t word)
{
	uint32_t slot = word & HOP_WORD_SLOT;
	struct rte_mbuf *m = slot < s->hop.packets ? s->away[slot] : NULL;

	if (m == NULL) {
		s->refused++;
		return NULL;
	}
	free_slot(s, slot);
	s->crossing--;
	return m;
}

/* Copies the frame back, to where it lies in its slot: stages may have put headers before it. false: it lies
 * outside of its slot. */
static inline bool copy_back(const struct hop_switch *s, struct rte_mbuf *m, uint32_t word)
{
	uint32_t slot = word & HOP_WORD_SLOT, at = word >> HOP_WORD_SHIFT;
	uint64_t bytes = field_read(hop_record(&s->hop, slot), s->hop.fields.len);

	uint64_t room = at <= HOP_HEADROOM + HOP_FRAME_BYTES ? HOP_HEADROOM + HOP_FRAME_BYTES - at : 0;

	if (bytes == 0 || bytes > room || at + bytes > m->buf_len)
		return false;
	m->data_off = (uint16_t)at;
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), hop_frame(&s->hop, slot) - HOP_HEADROOM + at, bytes);
	m->data_len = (uint16_t)bytes;
	m->pkt_len = (uint32_t)bytes;
	m->port = (uint16_t)field_read(hop_record(&s->hop, slot), s->hop.fields.port);
	return true;
}

static uint32_t receive_from(struct hop_switch *s, struct rte_ring *ring, bool dropped)
{
	struct rte_mbuf *sent[BATCH_MAX], *gone[BATCH_MAX];
	uint32_t words[BATCH_MAX], sent_count = 0, gone_count = 0, n = hop_take(ring, words, BATCH_MAX);

	for (uint32_t i = 0; i < n; i++) {
		struct rte_mbuf *m = arrive(s, words[i]);
		if (m == NULL)
			continue;
		bool sound = !dropped && copy_back(s, m, words[i]);
		s->refused += !dropped && !sound;
		if (sound)
			sent[sent_count++] = m;
		else
			gone[gone_count++] = m;
	}
	if (n != 0)
		s->heard = rte_rdtsc();
	if (gone_count != 0)
		batch_free(gone, gone_count);
	if (sent_count != 0)
		rte_ring_sp_enqueue_bulk(s->to, (void **)sent, sent_count, NULL);
	return n;
}

static uint32_t receive_by_device(struct hop_switch *s)
{
	struct rte_mbuf *mbufs[BATCH_MAX];
	uint32_t n = rte_eth_rx_burst(s->device, 0, mbufs, (uint16_t)s->batch_size);

	if (n != 0)
		rte_ring_sp_enqueue_bulk(s->to, (void **)mbufs, n, NULL);
	if (n != 0)
		s->heard = rte_rdtsc();
	return n;
}

uint32_t hop_switch_receive(struct hop_switch *s)
{
	uint32_t n = 0;

	if (s->has_device)
		return receive_by_device(s);
	for (uint32_t q = 0; q < s->queues; q++)
		n += receive_from(s, s->hop.done[q], false);
	return n + receive_from(s, s->hop.dropped, true);
}
