/* SPDX-License-Identifier: BSD-3-Clause
 *
 * EAL's ports (a NIC, or --vdev net_memif0, net_af_packet0, net_pcap0...), when traffic comes from outside. With one
 * port, packets leave by it; with two, by the other one. Every lcore that receives takes from
 * them in turn and has a queue of each, and so has every lcore that sends.
 */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_mbuf.h>

#include "stop_flag.h"

#define OUTSIDE_MAX_PORTS 2u
#define OUTSIDE_DESCRIPTORS 1024u
#define OUTSIDE_MAX_QUEUES 32u

struct outside {
	uint16_t ids[OUTSIDE_MAX_PORTS];
	uint16_t ports;
	uint32_t rx_queues;
	struct {
		uint16_t port;		   /* polled next */
		_Atomic uint64_t received; /* others read it */
	} __attribute__((aligned(64))) queues[OUTSIDE_MAX_QUEUES]; /* each queue's lcore writes */
	uint64_t limit;						   /* packets to receive in total; 0: no limit */
	const struct stop_flag *stop;
};

struct outside_settings {
	struct rte_mempool *pool;
	uint32_t queues, rx_queues;
	uint64_t limit; /* packets to receive in total, of each further queue up to a batch more; 0: no limit */
	const struct stop_flag *stop;
	uint32_t offload; /* a set of enum offload */
};

/* Packet buffers that the drivers may hold. */
uint32_t outside_buffers(uint32_t queues, uint32_t rx_queues);
/* false: reported on stderr. */
bool outside_open(struct outside *outside, const struct outside_settings *settings);
void outside_close(struct outside *outside);
/* Describes the ports in a sentence for people. */
void outside_describe(const struct outside *outside, char *text, size_t size);

uint16_t outside_receive(struct outside *outside, uint16_t queue, struct rte_mbuf *mbufs[], uint16_t count);
/* Returns how many were sent; the others are freed. */
uint16_t outside_send(const struct outside *outside, uint16_t queue, struct rte_mbuf *mbufs[], uint16_t count);

/* Packets still to receive. Lcores that receive at the same time may each take as many. */
static inline uint64_t outside_left(const struct outside *o)
{
	uint64_t received = 0;

	if (o->limit == 0)
		return UINT64_MAX;
	for (uint32_t q = 0; q < o->rx_queues; q++)
		received += atomic_load_explicit(&o->queues[q].received, memory_order_relaxed);
	return received < o->limit ? o->limit - received : 0;
}

/* Whether receiving has ended: by the stop flag or by the limit. */
static inline bool outside_over(const struct outside *o)
{
	return stop_flag_is_set(o->stop) || outside_left(o) == 0;
}

/* Prints the ports' own counters as a member of a JSON object, with a comma before it. */
void outside_print(FILE *out, const struct outside *outside);

#endif
