/* SPDX-License-Identifier: Apache-2.0
 *
 * A DPDK program without nalm: one lcore receives packets from port 0 and sends them there, except every DROP-th
 * (argument after `--`; 0: none). With a second lcore it is a pipeline: that one sends. With a third one, that one
 * works between the rings of the two; with `back` as second argument the first lcore sends what comes back from the
 * second. With as many ports as lcores, each lcore has a port. The file that BARE_FORWARDED names in the environment is made once port 0 has forwarded
 * packets.
 */
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BURST = 32, BUFFERS = 1023, FORWARDED = 64 };

static __attribute__((noinline)) uint16_t bare_filter(struct rte_mbuf **packets, uint16_t n, unsigned drop)
{
	static unsigned seen;
	uint16_t kept = 0;
	for (uint16_t i = 0; i < n; i++) {
		if (drop != 0 && ++seen % drop == 0)
			rte_pktmbuf_free(packets[i]);
		else
			packets[kept++] = packets[i];
	}
	return kept;
}

static __attribute__((noinline)) int bare_loop(void *drop)
{
	struct rte_mbuf *packets[BURST];
	const char *mark = getenv("BARE_FORWARDED");
	unsigned forwarded = 0;
	uint16_t port = (uint16_t)rte_lcore_index((int)rte_lcore_id());
	for (;;) {
		uint16_t n = bare_filter(packets, rte_eth_rx_burst(port, 0, packets, BURST), *(unsigned *)drop);
		uint16_t sent = rte_eth_tx_burst(port, 0, packets, n);
		if (mark != NULL && port == 0 && forwarded < FORWARDED && (forwarded += sent) >= FORWARDED)
			fclose(fopen(mark, "w"));
		for (; sent < n; sent++)
			rte_pktmbuf_free(packets[sent]);
	}
	return 0;
}

static struct rte_ring *between, *after;

static void bare_enqueue(struct rte_ring *ring, struct rte_mbuf **packets, uint16_t n)
{
	unsigned sent = rte_ring_enqueue_burst(ring, (void **)packets, n, NULL);
	for (; sent < n; sent++)
		rte_pktmbuf_free(packets[sent]);
}

static void bare_send(struct rte_ring *ring)
{
	struct rte_mbuf *packets[BURST];
	uint16_t n = rte_ring_dequeue_burst(ring, (void **)packets, BURST, NULL);
	uint16_t sent = n != 0 ? rte_eth_tx_burst(0, 0, packets, n) : 0;
	for (; sent < n; sent++)
		rte_pktmbuf_free(packets[sent]);
}

static void bare_receiver(unsigned drop, bool back)
{
	struct rte_mbuf *packets[BURST];
	for (;;) {
		bare_enqueue(between, packets, bare_filter(packets, rte_eth_rx_burst(0, 0, packets, BURST), drop));
		if (back)
			bare_send(after);
	}
}

static __attribute__((noinline)) void bare_worker(void)
{
	struct rte_mbuf *packets[BURST];
	for (;;)
		bare_enqueue(after, packets, rte_ring_dequeue_burst(between, (void **)packets, BURST, NULL));
}

static __attribute__((noinline)) void bare_sender(struct rte_ring *ring)
{
	for (;;)
		bare_send(ring);
}

static int bare_second(void *works)
{
	bool last = rte_lcore_index((int)rte_lcore_id()) == 2;
	if (*(bool *)works && !last)
		bare_worker();
	bare_sender(last ? after : between);
	return 0;
}

static bool bare_start(uint16_t port, struct rte_mempool *pool)
{
	struct rte_eth_conf conf = {0};
	return rte_eth_dev_configure(port, 1, 1, &conf) == 0 &&
	       rte_eth_rx_queue_setup(port, 0, 64, SOCKET_ID_ANY, NULL, pool) == 0 &&
	       rte_eth_tx_queue_setup(port, 0, 64, SOCKET_ID_ANY, NULL) == 0 && rte_eth_dev_start(port) == 0;
}

int main(int argc, char **argv)
{
	int used = rte_eal_init(argc, argv);
	if (used < 0 || used + 1 >= argc)
		return 2;
	unsigned drop = (unsigned)atoi(argv[used + 1]);
	bool back = used + 2 < argc && strcmp(argv[used + 2], "back") == 0;
	bool works = back || rte_lcore_count() == 3;
	struct rte_mempool *pool =
		rte_pktmbuf_pool_create("bare", BUFFERS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	uint16_t ports = rte_eth_dev_count_avail();
	for (uint16_t port = 0; port < ports; port++)
		if (pool == NULL || !bare_start(port, pool))
			return 1;
	if (rte_lcore_count() == ports)
		return rte_eal_mp_remote_launch(bare_loop, &drop, CALL_MAIN);
	between = rte_ring_create("between", 256, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	after = rte_ring_create("after", 256, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	if (between == NULL || after == NULL || rte_eal_mp_remote_launch(bare_second, &works, SKIP_MAIN) != 0)
		return 1;
	bare_receiver(drop, back);
}
