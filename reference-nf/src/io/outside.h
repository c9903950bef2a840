/* SPDX-License-Identifier: BSD-3-Clause
 *
 * EAL's ports (a NIC, or --vdev net_memif0, net_af_packet0, net_pcap0...), when traffic comes from outside. With one
 * port, packets leave by it; with two, by the other one. The NF receives from them in turn, on one queue each, and
 * every sending lcore has a queue of its own.
 */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_mbuf.h>

#define OUTSIDE_MAX_PORTS 2u
#define OUTSIDE_DESCRIPTORS 1024u

struct outside {
	uint16_t ids[OUTSIDE_MAX_PORTS];
	uint16_t ports;
	uint16_t next; /* the port polled next; the receiving lcore's */
	uint64_t left; /* packets still to receive; that lcore writes and reads */
	const volatile sig_atomic_t *stop;
};

struct outside_settings {
	struct rte_mempool *pool;
	uint32_t queues;
	uint64_t limit; /* packets to receive in total; 0: no limit */
	const volatile sig_atomic_t *stop;
	uint32_t offload; /* a set of enum offload */
};

/* Packet buffers that the drivers may hold. */
uint32_t outside_buffers(uint32_t queues);
/* false: reported on stderr. */
bool outside_open(struct outside *outside, const struct outside_settings *settings);
void outside_close(struct outside *outside);
/* Describes the ports in a sentence for people. */
void outside_describe(const struct outside *outside, char *text, size_t size);

uint16_t outside_receive(struct outside *outside, struct rte_mbuf *mbufs[], uint16_t count);
/* Returns how many were sent; the others are freed. */
uint16_t outside_send(const struct outside *outside, uint16_t queue, struct rte_mbuf *mbufs[], uint16_t count);

/* Whether receiving has ended: by *stop or by the limit. */
static inline bool outside_over(const struct outside *o)
{
	return *o->stop != 0 || o->left == 0;
}

/* Prints the ports' own counters as a member of a JSON object, with a comma before it. */
void outside_print(FILE *out, const struct outside *outside);

#endif
