/* SPDX-License-Identifier: BSD-3-Clause */
#define ALLOW_EXPERIMENTAL_API /* rte_intr_instance_alloc and its fields */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>

#include "hop/hop_device.h"

#define DESCRIPTORS 256u
#define ARGUMENTS_BYTES 512u
#define LAST_WAITS 1000u
#define LAST_WAIT_US 10000u
#define WAIT_US 2000u
#define SOCKET_PATH_BYTES sizeof(((struct sockaddr_un *)NULL)->sun_path)

static bool refuse(const char *name, const char *what, int error)
{
	fprintf(stderr, "hop: %s %s: %s\n", name, what, rte_strerror(error < 0 ? -error : error));
	return false;
}

static bool add(const struct hop_settings *s, const char *socket, uint16_t *port)
{
	bool listens = s->side != HOP_NF;
	const char *name = "net_memif0";
	char arguments[ARGUMENTS_BYTES];

	if (s->buffers == HOP_VHOST) {
		name = listens ? "net_vhost0" : "net_virtio_user0";
		snprintf(arguments, sizeof(arguments), listens ? "iface=%s,queues=1" : "path=%s,queues=1,queue_size=256",
			 socket);
	} else {
		snprintf(arguments, sizeof(arguments), "role=%s,socket=%s,socket-abstract=no", listens ? "server" : "client",
			 socket);
	}
	signal(SIGPIPE, SIG_IGN); /* the driver writes to its socket also when the other side has gone */
	int error = rte_eal_hotplug_add("vdev", name, arguments);
	if (error == 0)
		error = rte_eth_dev_get_port_by_name(name, port);
	return error == 0 || refuse(name, "cannot be added", error);
}

static bool start(uint16_t port, struct rte_mempool *pool)
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

/* The driver's own name of the socket that listens. */
static bool name_socket(const char *path, char socket[SOCKET_PATH_BYTES])
{
	return snprintf(socket, SOCKET_PATH_BYTES, "%s.%d", path, (int)getpid()) < (int)SOCKET_PATH_BYTES;
}

/* The socket gets its name when the port has started: memif's driver turns away for good who connects before. */
bool hop_device_listen(const struct hop_settings *s, struct rte_mempool *pool, uint16_t *port)
{
	char socket[SOCKET_PATH_BYTES];

	if (!name_socket(s->path, socket))
		return refuse(s->path, "is too long for the name of a socket", ENAMETOOLONG);
	if (!add(s, socket, port) || !start(*port, pool))
		return false;
	return rename(socket, s->path) == 0 || refuse(s->path, "cannot be made", errno);
}

bool hop_device_connect(const struct hop_settings *s, const struct stop_flag *stop, uint16_t *port)
{
	while (access(s->path, F_OK) != 0 && errno == ENOENT && !stop_flag_is_set(stop))
		rte_delay_us_sleep(WAIT_US);
	return add(s, s->path, port);
}

bool hop_device_is_met(uint16_t port)
{
	struct rte_eth_link link = {0};

	return rte_eth_link_get_nowait(port, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

/* What EAL's interrupt thread answers. */
struct call {
	int event;
	atomic_bool answered;
};

static void answer(void *arg)
{
	struct call *call = arg;
	uint64_t times;

	if (read(call->event, &times, sizeof(times)) == (ssize_t)sizeof(times))
		atomic_store_explicit(&call->answered, true, memory_order_release); /* (I) */
}

/* EAL's list has a copy of the handle. */
static bool add_call(struct call *call)
{
	struct rte_intr_handle *handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);

	call->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bool added = handle != NULL && call->event >= 0 && rte_intr_fd_set(handle, call->event) == 0 &&
		     rte_intr_type_set(handle, RTE_INTR_HANDLE_EXT) == 0 &&
		     rte_intr_callback_register(handle, answer, call) == 0;
	rte_intr_instance_free(handle);
	return added;
}

static bool is_answered(struct call *call)
{
	const uint64_t once = 1;

	atomic_store_explicit(&call->answered, false, memory_order_relaxed);
	if (write(call->event, &once, sizeof(once)) != (ssize_t)sizeof(once))
		return false;
	while (!atomic_load_explicit(&call->answered, memory_order_acquire)) /* pairs with (I) */
		rte_delay_us_sleep(WAIT_US);
	return true;
}

/* At the first answer EAL's interrupt thread no longer takes down the driver's connection, of which the link's state is
 * only the beginning. At the second one it has looked at all of its files again: memif's driver leaves one of them behind,
 * in memory that EAL gives back at its end. The thread must not look once more, so the call stays in its list. */
static void wait_for_interrupts(void)
{
	static struct call call;

	if (add_call(&call))
		(void)(is_answered(&call) && is_answered(&call));
}

void hop_device_close(uint16_t port, const char *path)
{
	char socket[SOCKET_PATH_BYTES];

	if (path != NULL && name_socket(path, socket))
		(void)rename(path, socket); /* the driver removes it */
	for (uint32_t i = 0; i < LAST_WAITS && hop_device_is_met(port); i++)
		rte_delay_us_sleep(LAST_WAIT_US);
	wait_for_interrupts();
	(void)rte_eth_dev_stop(port);
	(void)rte_eth_dev_close(port);
}
