/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded behind the lent probe, it lets a DPDK program call its drivers' receive and transmit functions directly
 * while bench_lent_turns.py says so, through the socket NALM_BENCH_SOCKET: it sends the lcore's thread, and then a byte
 * for each change, 'd' to call them directly, another one to call the probe's. The answer is a line: packets received
 * by all ports so far, and the thread's CPU time in ns.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <rte_ethdev.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Processes without DPDK load this library, too. */
#pragma weak rte_eth_find_next_owned_by
#pragma weak rte_eth_fp_ops
#pragma weak rte_eth_stats_get

struct functions {
	eth_rx_burst_t receive;
	eth_tx_burst_t transmit;
};

static struct functions drivers[RTE_MAX_ETHPORTS], replaced[RTE_MAX_ETHPORTS];

static void set(uint16_t port, struct functions to)
{
	__atomic_store_n(&rte_eth_fp_ops[port].rx_pkt_burst, to.receive, __ATOMIC_RELAXED);
	__atomic_store_n(&rte_eth_fp_ops[port].tx_pkt_burst, to.transmit, __ATOMIC_RELAXED);
}

static struct functions now(uint16_t port)
{
	return (struct functions){rte_eth_fp_ops[port].rx_pkt_burst, rte_eth_fp_ops[port].tx_pkt_burst};
}

static uint64_t packets_received(void)
{
	uint64_t packets = 0;
	uint16_t port;

	RTE_ETH_FOREACH_DEV(port) {
		struct rte_eth_stats stats;
		if (rte_eth_stats_get(port, &stats) == 0)
			packets += stats.ipackets;
	}
	return packets;
}

/* As pthread_getcpuclockid() makes the clock of another thread. */
static uint64_t cpu_ns(pid_t thread)
{
	struct timespec time;

	if (clock_gettime((clockid_t)(~(unsigned)thread << 3 | 6), &time) != 0)
		return 0;
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void *serve(void *unused)
{
	const char *path = getenv("NALM_BENCH_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int to = socket(AF_UNIX, SOCK_STREAM, 0);
	cpu_set_t every;
	uint16_t port;
	pid_t thread;
	char byte;

	(void)unused;
	memset(&every, 0xff, sizeof(every)); /* the lcore's CPU is not this thread's */
	sched_setaffinity(0, sizeof(every), &every);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path != NULL ? path : "");
	if (to < 0 || connect(to, (struct sockaddr *)&address, sizeof(address)) != 0) {
		perror("NALM_BENCH_SOCKET");
		_exit(70);
	}
	if (read(to, &thread, sizeof(thread)) != sizeof(thread))
		return NULL;
	while (read(to, &byte, 1) == 1) {
		if (byte == 'd')
			RTE_ETH_FOREACH_DEV(port) {
				replaced[port] = now(port);
				set(port, drivers[port]);
			}
		dprintf(to, "%" PRIu64 " %" PRIu64 "\n", packets_received(), cpu_ns(thread));
		if (byte != 'd')
			RTE_ETH_FOREACH_DEV(port)
				set(port, replaced[port]);
	}
	return NULL;
}

int rte_eth_dev_start(uint16_t port)
{
	int (*start)(uint16_t) = (int (*)(uint16_t))dlsym(RTLD_NEXT, "rte_eth_dev_start");
	int failed = start(port);
	static bool serves;
	pthread_t thread;

	if (failed != 0)
		return failed;
	drivers[port] = now(port);
	if (!serves) {
		serves = true;
		if (pthread_create(&thread, NULL, serve, NULL) != 0)
			_exit(70);
	}
	return 0;
}
