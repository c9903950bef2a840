/* SPDX-License-Identifier: BSD-3-Clause */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

#include <rte_alarm.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "hop/hop_device.h"

#define DESCRIPTORS 256u
#define ARGUMENTS_BYTES 512u
#define LAST_WAITS 1000u
#define LAST_WAIT_US 10000u

static bool refuse(const char *name, const char *what, int error)
{
	fprintf(stderr, "hop: %s %s: %s\n", name, what, rte_strerror(error < 0 ? -error : error));
	return false;
}

bool hop_device_add(const struct hop_settings *s, uint16_t *port)
{
	bool listens = s->side == HOP_SWITCH;
	const char *name = "net_memif0";
	char arguments[ARGUMENTS_BYTES];

	if (s->buffers == HOP_VHOST) {
		name = listens ? "net_vhost0" : "net_virtio_user0";
		snprintf(arguments, sizeof(arguments), listens ? "iface=%s,queues=1" : "path=%s,queues=1,queue_size=256",
			 s->path);
	} else {
		snprintf(arguments, sizeof(arguments), "role=%s,socket=%s,socket-abstract=no", listens ? "server" : "client",
			 s->path);
	}
	signal(SIGPIPE, SIG_IGN); /* the driver writes to its socket also when the other side has gone */
	int error = rte_eal_hotplug_add("vdev", name, arguments);
	if (error == 0)
		error = rte_eth_dev_get_port_by_name(name, port);
	return error == 0 || refuse(name, "cannot be added", error);
}

bool hop_device_start(uint16_t port, struct rte_mempool *pool)
{
	const struct rte_eth_conf conf = {0};
	uint16_t receive = DESCRIPTORS, transmit = DESCRIPTORS;
	unsigned int socket = rte_socket_id();
	int error = rte_eth_dev_configure(port, 1, 1, &conf);

	if (error == 0)
		error = rte_eth_dev_adjust_nb_rx_tx_desc(port, &receive, &transmit);
	if (error == 0)
		error = rte_eth_rx_queue_setup(port, 0, receive, socket, NULL, pool);
	if (error == 0)
		error = rte_eth_tx_queue_setup(port, 0, transmit, socket, NULL);
	if (error == 0)
		error = rte_eth_dev_start(port);
	return error == 0 || refuse("port", "does not start", error);
}

bool hop_device_is_met(uint16_t port)
{
	struct rte_eth_link link = {0};

	return rte_eth_link_get_nowait(port, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

static void note(void *arg)
{
	atomic_store_explicit((atomic_bool *)arg, true, memory_order_release); /* (I) */
}

/* EAL's interrupt thread runs alarms too. When this one has run, the thread no longer takes down the driver's connection,
 * of which the link's state is only the beginning. */
static void wait_for_interrupts(void)
{
	atomic_bool ran = false;

	if (rte_eal_alarm_set(1, note, &ran) != 0)
		return;
	while (!atomic_load_explicit(&ran, memory_order_acquire)) /* pairs with (I) */
		rte_delay_us_sleep(LAST_WAIT_US);
}

void hop_device_close(uint16_t port, enum hop_side side)
{
	for (uint32_t i = 0; side == HOP_SWITCH && i < LAST_WAITS && hop_device_is_met(port); i++)
		rte_delay_us_sleep(LAST_WAIT_US);
	wait_for_interrupts();
	(void)rte_eth_dev_stop(port);
	(void)rte_eth_dev_close(port);
}
