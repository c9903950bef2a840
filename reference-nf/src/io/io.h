/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where packets come from and go to. The NF receives from and sends to an ethdev: a net_ring vdev, whose far ends the
 * generator and the sink hold, or EAL's own ports (outside.h). With a hop there is the hop in place of the ethdev; with
 * two NFs in series it follows the first one's ethdev.
 */
#ifndef IO_H
#define IO_H

#include <stdatomic.h>
#include <stdint.h>

#include <rte_cycles.h>
#include <rte_ring.h>

#include "hop/hop_nf.h"
#include "hop/hop_switch.h"
#include "packet/batch.h"
#include "io/fragments.h"
#include "io/outside.h"
#include "stage.h"

/* Written by the generator, read by each lcore that receives: a line of its own. */
struct io_offered {
	_Atomic uint64_t packets;
} __attribute__((aligned(64)));

#define IO_MAX_FRAME_BYTES 2048u /* RTE_MBUF_DEFAULT_DATAROOM: what one packet buffer holds */

#define IO_MAX_QUEUES 32u
#define IO_PORT_QUEUES 16u /* of a net_ring vdev */
_Static_assert(IO_PORT_QUEUES <= RTE_PMD_RING_MAX_TX_RINGS && IO_MAX_QUEUES % IO_PORT_QUEUES == 0, "whole ports");
_Static_assert(IO_MAX_QUEUES <= FRAGMENTS_QUEUES, "a count for each");

struct io {
	struct rte_mempool *pool;
	struct rte_ring *to_nf[IO_MAX_QUEUES];	 /* one for each lcore that receives; one producer, one consumer, like the next */
	struct rte_ring *from_nf[IO_MAX_QUEUES]; /* one for each lcore that sends */
	struct rte_ring *from_next;		 /* to the sink from the second of two NFs; NULL: there is one NF */
	uint32_t queues, rx_queues; /* of rx_queues there is one, or as many as queues */
	struct io_offered offered; /* of several rx_queues: packets that were put there before the newest ones */
	uint16_t ports[IO_MAX_QUEUES / IO_PORT_QUEUES]; /* by queue */
	bool sums_checked, hashed; /* the NIC checks IPv4 headers, gives packets a hash ([io] offload) */
	struct fragments *fragments; /* NULL: fragments pass as other packets */
	bool has_nf_end;	   /* of a hop: */
	struct hop_nf nf_end;
	bool has_switch_end; /* of a hop, between the rings and the NF, or behind the first of two: */
	struct hop_switch switch_end;
	bool is_outside; /* there are no rings: */
	struct outside outside;
	uint32_t batch_size;
	uint32_t in_flight; /* packets at most between the generator and the rings to the sink */
};

/* A sending lcore's own queue. */
struct tx_queue {
	const struct io *io;
	uint16_t number;
};

/* A receiving lcore's queue, and its clock: virtual time advances with each packet received, priming included; real time
 * when traffic comes from outside. Of several queues it advances with the packets put before all of them, so that all
 * lcores have one time: an instance of a stage has its part of a rate, and shared flows have one age. */
struct rx_clock {
	struct io *io;
	uint16_t queue;
	enum rx_time { RX_TIME_RECEIVED, RX_TIME_OFFERED, RX_TIME_REAL } time;
	uint64_t ns_per_packet;
	uint64_t received;    /* that lcore writes */
	uint64_t ns_per_tick; /* of real time, with 32 fractional bits */
	uint64_t start;	      /* TSC, the same for all queues */
};

static inline void rx_clock_start(struct rx_clock *clock, struct io *io, uint16_t queue, uint64_t ns_per_packet,
				  uint64_t start)
{
	*clock = (struct rx_clock){.io = io, .queue = queue, .ns_per_packet = ns_per_packet, .start = start};
	clock->ns_per_tick = (UINT64_C(1000000000) << 32) / rte_get_tsc_hz();
	clock->time = io->rx_queues > 1 ? RX_TIME_OFFERED : RX_TIME_RECEIVED;
	if (io->is_outside)
		clock->time = RX_TIME_REAL;
}

static inline uint64_t rx_now(const struct rx_clock *clock)
{
	if (likely(clock->time == RX_TIME_RECEIVED))
		return clock->received * clock->ns_per_packet;
	if (clock->time == RX_TIME_OFFERED)
		return atomic_load_explicit(&clock->io->offered.packets, memory_order_relaxed) * clock->ns_per_packet;
	return (uint64_t)((unsigned __int128)(rte_rdtsc() - clock->start) * clock->ns_per_tick >> 32);
}

struct io_settings {
	uint32_t batch_size;
	uint32_t ring;	    /* places between the generator and each queue of the NF; a power of two */
	uint32_t queues;    /* lcores that send */
	uint32_t rx_queues; /* lcores that receive: 1, or those that send */
	uint32_t in_flight; /* packets that fit between the lcores of the NF */
	uint64_t seed;
	uint32_t offload; /* a set of enum offload */
	bool is_outside;
	struct fragments_settings fragments;
	const struct hop_settings *hop;
	uint64_t limit; /* outside and nf: packets to receive in total; 0: no limit */
	const struct stop_flag *stop; /* likewise: set by others, ends receiving */
};

/* false: reported on stderr. */
bool io_open(struct io *io, const struct io_settings *settings);
void io_close(struct io *io);

/* Whether all packets came back from the NF's process, and no word of it was refused. */
static inline bool io_hop_is_balanced(const struct io *io)
{
	return io->switch_end.crossing == 0 && io->switch_end.refused == 0;
}

/* Where traffic comes from another process: whether receiving has ended. */
static inline bool io_over(const struct io *io)
{
	return io->has_nf_end ? hop_nf_over(&io->nf_end) : outside_over(&io->outside);
}

extern const struct nalm_outcome_spec rx_outcomes[], tx_outcomes[];
enum { RX_RECEIVED, RX_GATHERED };
enum { TX_SENT, TX_RING_FULL };

/* Fills the batch with packets that have arrived, and parses them. Returns how many frames have arrived, of
 * which the outcomes tell; some may be fragments of packets to come. */
uint32_t rx_process(void *clock, struct batch *batch, uint64_t now_ns);
/* Sends the batch; it is empty afterwards. */
void tx_process(void *queue, struct batch *batch, uint64_t now_ns);

#endif
