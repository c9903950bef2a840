/* SPDX-License-Identifier: BSD-3-Clause
 *
 * [io] offload: what the NIC does with a received packet before the NF sees it. Where there is no NIC, the generator's
 * side does it (nic/nic.h), ahead of the NF, and what it costs is counted apart.
 *
 *   checksum  checks the sum of IPv4 headers; the result is in ol_flags
 *   hash      a number by the packet's flow is in hash.rss
 *   mark      packets of a flow that the NIC knows have its number in hash.fdir.hi (rte_flow's action MARK)
 *   decap     user packets come out of GTP-U tunnels; the tunnel's end is in the user plane's mark
 *   rss       the port has a receive queue for each worker, and a flow's packets in a direction come by one of them
 */
#ifndef OFFLOAD_H
#define OFFLOAD_H

#include "config/config.h"

enum offload {
	OFFLOAD_CHECKSUM = 1,
	OFFLOAD_HASH = 2,
	OFFLOAD_MARK = 4,
	OFFLOAD_DECAP = 8,
	OFFLOAD_RSS = 16,
};

/* A set of enum offload. Mistakes are ignored here: */
uint32_t offload_read(struct config *config);
/* Reports mistakes, and what has no effect with the chain, the model or the ports. */
void offload_check(struct config *config);

/* Numbers of flows that the NIC gives: [io] marks. */
uint32_t offload_marks(struct config *config);

#endif
