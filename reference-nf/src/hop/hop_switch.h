/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The switch's end of a hop: what a vSwitch beside the NF does. Takes packets from a ring, gives them to the NF, and
 * puts what comes back into another ring. The packet buffers stay here while their packets are away.
 */
#ifndef HOP_SWITCH_H
#define HOP_SWITCH_H

#include <rte_mbuf.h>

#include "hop/hop.h"
#include "packet/batch.h"

struct hop_switch {
	struct hop hop;
	struct rte_ring *from, *to;
	uint32_t batch_size;
	uint32_t queues;
	struct rte_mbuf **away; /* by slot; NULL: the slot is free */
	uint16_t *free;		/* slots in the order in which they came back, as a NIC's ring uses them; a circle */
	uint32_t free_at, free_count;
	uint16_t device; /* buffers memif and vhost: packets cross by this port, not by memory */
	bool has_device;
	char *device_path; /* of its socket; NULL: it does not listen */
	struct rte_mbuf *waiting[BATCH_MAX]; /* for room in the device */
	uint32_t waiting_count;
	uint64_t quiet; /* ticks after which nothing more is expected from a device */
	uint64_t heard; /* when the last packet came back, or went to a device, in ticks */
	uint64_t crossing; /* packets that have not come back; not of a device */
	uint64_t refused;  /* words from the NF that name no packet that is away, or a length without room */
	uint64_t too_long; /* frames that no slot has room for; dropped */
};

struct hop_switch_settings {
	const struct hop_settings *hop;
	struct rte_ring *from, *to;
	struct rte_mempool *pool; /* of packets that a device receives */
	uint32_t batch_size;
	uint32_t queues; /* lcores of the NF that send; HOP_QUEUES where it is another process */
};

/* false: reported on stderr. */
bool hop_switch_open(struct hop_switch *s, const struct hop_switch_settings *settings);
void hop_switch_close(struct hop_switch *s);

/* Waits until the NF can receive. false: *stop came first. */
bool hop_switch_meet(const struct hop_switch *s, const struct stop_flag *stop);
/* A batch to the NF. Returns packets that still wait here. */
uint32_t hop_switch_send(struct hop_switch *s);
/* What has come back. Returns packets, dropped ones too. */
uint32_t hop_switch_receive(struct hop_switch *s);
/* Whether packets may still come back. stops: by a signal; then only for a while, as the other process may be dead. */
bool hop_switch_expects(const struct hop_switch *s, bool stops);
/* Says to the NF that nothing more comes. */
void hop_switch_end(struct hop_switch *s);

#endif
