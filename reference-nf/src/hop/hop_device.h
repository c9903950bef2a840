/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Buffers memif and vhost: a port of DPDK's driver at each end, joined by a socket. The switch's side listens.
 */
#ifndef HOP_DEVICE_H
#define HOP_DEVICE_H

#include <rte_mempool.h>

#include "hop/hop_settings.h"
#include "stop_flag.h"

/* The switch's side: adds the driver's port to EAL's, with one queue each way, and starts it; then its socket is there.
 * false: reported on stderr. */
bool hop_device_listen(const struct hop_settings *settings, struct rte_mempool *pool, uint16_t *port);
/* The NF's side: waits until the switch listens, or *stop, and adds the driver's port to EAL's; the caller configures and
 * starts it. false: reported on stderr. */
bool hop_device_connect(const struct hop_settings *settings, const struct stop_flag *stop, uint16_t *port);
/* Whether the other side is there. */
bool hop_device_is_met(uint16_t port);
/* Closes the port that listens, and removes its socket if path is not NULL. This side ends last: a driver must not lose its other side while
 * it polls. Waits for that, but not longer than a few seconds. */
void hop_device_close(uint16_t port, const char *path);

#endif
