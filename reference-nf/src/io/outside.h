/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ports EAL was given (a NIC, or --vdev net_memif0, net_af_packet0, net_pcap0...), when traffic comes from outside.
 * One port: what comes in leaves by it again. Two: by the other one. They are received from in turn, on one queue each,
 * and every sending lcore has a queue of its own.
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
	uint16_t next; /* that is asked for packets next: the receiving lcore's */
	uint64_t left; /* packets still to be received: that lcore writes and reads */
	const volatile sig_atomic_t *stop;
};

struct outside_settings {
	struct rte_mempool *pool;
	uint32_t queues;
	uint64_t limit; /* packets to receive in all; 0: none */
	const volatile sig_atomic_t *stop;
};

/* Packet buffers that drivers may hold. */
uint32_t outside_buffers(uint32_t queues);
/* false: said on stderr. */
bool outside_open(struct outside *outside, const struct outside_settings *settings);
void outside_close(struct outside *outside);
/* In a sentence for a person. */
void outside_describe(const struct outside *outside, char *text, size_t size);

uint16_t outside_receive(struct outside *outside, struct rte_mbuf *mbufs[], uint16_t count);
/* Returns how many were sent; the others are freed. */
uint16_t outside_send(const struct outside *outside, uint16_t queue, struct rte_mbuf *mbufs[], uint16_t count);

/* Nothing more is received: told to stop, or enough has come. */
static inline bool outside_over(const struct outside *o)
{
	return *o->stop != 0 || o->left == 0;
}

/* What the ports' own counters say: a member of a JSON object, with a comma before it. */
void outside_print(FILE *out, const struct outside *outside);

#endif
