/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Does to packets what a NIC would have done before the NF receives them ([io] offload), where there is no NIC. It runs
 * on the generator's side and is a stage apart: the NF's cost excludes it.
 */
#ifndef NIC_H
#define NIC_H

#include <rte_mbuf.h>

#include "nalm_probe.h"
#include "packet/batch.h"
#include "table/flow_table.h"
#include "traffic/traffic_config.h"

struct nic {
	uint32_t offload; /* a set of enum offload; 0: there is nothing to do */
	uint32_t n3;	  /* this end of the tunnels, as in a packet */
	struct flow_table *flows; /* of mark */
	struct flow_key *keys;	  /* of flows, by number; a flow keeps its number */
	uint32_t count, room;
	uint32_t queues;	    /* of the NF, for rss: */
	uint8_t queue[BATCH_MAX]; /* of each packet that was handed in last */
};

extern const struct nalm_outcome_spec nic_outcomes[];
enum { NIC_HANDED_IN };

/* false: reported on stderr. */
bool nic_open(struct nic *nic, const struct traffic_settings *settings, uint32_t queues);
void nic_close(struct nic *nic);
void nic_process(struct nic *nic, struct rte_mbuf *mbufs[], uint32_t count);

#endif
