/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packets in memory that two processes share: the switch fills slots, and the NF works on them where they lie. A slot
 * has a frame; its record of metadata lies before the frame in the slot (mbuf, fdt), or with those of other packets in
 * one array (fdt_aggregated), where a cache line has several.
 *
 * A word is a slot's number with the place of its frame. Words pass through rings: `filled` to the NF, `done` back, one
 * for each lcore that sends, and `dropped`, into which any lcore puts what a stage dropped.
 *
 * The memory says how it is laid out. The NF takes the places of fields from it, so it neither reads the field
 * definition file nor is built for it. Numbers and lengths from the other process are checked before use; the rings
 * themselves are trusted, as between DPDK's own processes.
 */
#ifndef HOP_H
#define HOP_H

#include <stdatomic.h>

#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "hop/hop_settings.h"
#include "stop_flag.h"

#define HOP_QUEUES 32u
#define HOP_FRAME_BYTES 2048u /* room from the frame's first byte on */
#define HOP_HEADROOM 128u     /* for headers that a stage puts before the frame */
#define HOP_WORD_SLOT 0xffffu
#define HOP_WORD_SHIFT 16u /* the frame begins there, in bytes from the slot's headroom */

/* The beginning of the memory. */
struct hop_header {
	uint64_t magic;
	uint64_t bytes; /* of all */
	uint32_t buffers;
	uint32_t packets;
	struct field_table fields;
	_Atomic uint32_t ready;	   /* the switch writes: the memory is as this header says */
	_Atomic uint32_t attached; /* the NF writes: packets may come */
	_Atomic uint32_t over;	   /* the switch writes: nothing more comes */
};

/* Where the fields lie that both ends know; those that the metadata does not have read as 0. */
struct hop_fields {
	struct field_place len, port, hash, packet_type, ol_flags, vlan_tci, tx_offload;
};

/* A process's view. */
struct hop {
	struct hop_header *header;
	size_t bytes;
	struct rte_ring *filled, *dropped, *done[HOP_QUEUES];
	uint8_t *records;
	uint8_t *frames; /* of the first slot, after its headroom */
	uint32_t record_stride, slot_stride;
	uint32_t packets;
	struct field_table table;
	struct hop_fields fields;
	char *path; /* removed at the end; NULL: not this process's file */
};

/* Makes the memory, private to this process and its threads where path is NULL. false: reported on stderr. */
bool hop_create(struct hop *hop, const struct hop_settings *settings);
/* Waits until the switch has made the memory, at most until *stop. false: reported on stderr. */
bool hop_attach(struct hop *hop, const char *path, const struct stop_flag *stop);
void hop_close(struct hop *hop);

static inline uint8_t *hop_record(const struct hop *h, uint32_t slot)
{
	return h->records + (size_t)slot * h->record_stride;
}

static inline uint8_t *hop_frame(const struct hop *h, uint32_t slot)
{
	return h->frames + (size_t)slot * h->slot_stride;
}

static inline uint32_t hop_word(uint32_t slot, uint32_t at)
{
	return at << HOP_WORD_SHIFT | slot;
}

static inline uint32_t hop_take(struct rte_ring *ring, uint32_t words[], uint32_t count)
{
	return rte_ring_sc_dequeue_burst_elem(ring, words, sizeof(*words), count, NULL);
}

/* There is always room: one slot stays free, and a ring holds all others. */
static inline void hop_put(struct rte_ring *ring, const uint32_t words[], uint32_t count)
{
	rte_ring_sp_enqueue_bulk_elem(ring, words, sizeof(*words), count, NULL);
}

#endif
