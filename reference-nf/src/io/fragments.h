/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fragments of IP datagrams ([io] fragments = reassemble). The receiving lcore, which every packet of every model
 * passes first, puts datagrams together; so all behind it see whole packets and find their flow's owner by the ports. A
 * sending lcore cuts what is longer than Ethernet allows.
 */
#ifndef FRAGMENTS_H
#define FRAGMENTS_H

#include <rte_ip_frag.h>

#include "config/config.h"
#include "packet/packet.h"

#define FRAGMENTS_FRAME_BYTES 9216u /* the longest frame of a datagram */
#define FRAGMENTS_MTU 1500u
#define FRAGMENTS_QUEUES 64u /* of sending lcores, at most */
#define FRAGMENTS_PARTS 8u /* that a longest frame is cut into, and that a datagram may have come in */

_Static_assert(FRAGMENTS_PARTS <= RTE_LIBRTE_IP_FRAG_MAX_FRAG, "the library keeps as many");

struct fragments_settings {
	uint32_t datagrams; /* incomplete at the same time, at most; 0: fragments are packets as others */
	uint64_t timeout_ns;
};

/* Why fragments are dropped, besides the time. */
enum fragments_refusal {
	FRAGMENTS_EMPTY,       /* no data */
	FRAGMENTS_UNEVEN,      /* more fragments follow, but the data is no multiple of 8 bytes */
	FRAGMENTS_TOO_LONG,    /* beyond the end of any datagram, or of the longest frame */
	FRAGMENTS_NO_ROOM,     /* as many datagrams wait already */
	FRAGMENTS_CONTRADICTS, /* with others: overlapping, repeated, a gap, or too many */
	FRAGMENTS_REFUSALS,
};
extern const char *const fragments_refusals[FRAGMENTS_REFUSALS];

struct fragments {
	struct rte_ip_frag_tbl *table;
	struct rte_mempool *pool;
	struct rte_ip_frag_death_row gone;
	uint64_t received, merged, expired; /* fragments; the receiving lcore writes */
	uint64_t refused[FRAGMENTS_REFUSALS];
	uint64_t datagrams; /* made of the merged ones */
	uint64_t atomic;    /* of these, of one fragment (RFC 6946) */
	struct {
		uint64_t frames; /* that cutting added; the lcore of this queue writes */
	} __attribute__((aligned(64))) added[FRAGMENTS_QUEUES];
};

struct fragments_settings fragments_configure(struct config *config);

/* NULL: reported on stderr. */
struct fragments *fragments_open(const struct fragments_settings *settings, struct rte_mempool *pool);
void fragments_close(struct fragments *fragments);

/* Takes fragments out of n packets, and gives each whole datagram the place of the fragment that completed it. Returns
 * how many packets there are then. */
uint32_t fragments_gather(struct fragments *fragments, struct rte_mbuf *mbufs[], uint32_t n, uint64_t now_ns);

/* Fragments that wait for others. */
uint64_t fragments_held(const struct fragments *fragments);

static inline bool fragments_is_long(const struct rte_mbuf *m)
{
	return m->data_len > ETHER_BYTES + FRAGMENTS_MTU;
}

/* Cuts a long frame for a queue; parts then has it in its place. Returns how many parts; 0: it could not be cut and is
 * freed. */
uint32_t fragments_cut(struct fragments *fragments, uint32_t queue, struct rte_mbuf *m,
		       struct rte_mbuf *parts[FRAGMENTS_PARTS]);
/* Clears the counts; fragments that wait stay. */
void fragments_reset(struct fragments *fragments);
/* Frames that cutting added, of all queues. */
uint64_t fragments_added(const struct fragments *fragments);

#endif
