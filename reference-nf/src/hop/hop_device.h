/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Buffers memif and vhost: a port of DPDK's driver at each end, joined by a socket. The switch's side listens.
 */
#ifndef HOP_DEVICE_H
#define HOP_DEVICE_H

#include <rte_mempool.h>

#include "hop/hop_settings.h"

/* Adds the driver's port to EAL's; the caller configures it. false: reported on stderr. */
bool hop_device_add(const struct hop_settings *settings, uint16_t *port);
/* Configures and starts a port with one queue each way. false: reported on stderr. */
bool hop_device_start(uint16_t port, struct rte_mempool *pool);
/* Whether the other side is there. */
bool hop_device_is_met(uint16_t port);
/* The side that listens ends last: a driver must not lose its other side while it polls. Waits for that, but not
 * longer than a few seconds. */
void hop_device_close(uint16_t port, enum hop_side side);

#endif
