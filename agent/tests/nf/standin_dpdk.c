/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces the shared libraries of a DPDK release, as far as a lent probe uses them: RELEASE is its year and month (0:
 * not available), BURST and QUEUES are the words of a line of rte_eth_fp_ops that hold the burst function and the array
 * of queues.
 */
#include <stdint.h>
#include <stdlib.h>

enum { PORTS = 32, WORDS = 8 };

typedef uint16_t (*burst)(void *queue, void **packets, uint16_t n);
typedef union {
	burst function;
	void **queues;
} word;

struct line {
	word words[WORDS];
};
struct {
	struct line rx, tx;
} rte_eth_fp_ops[PORTS];

#if RELEASE
unsigned rte_version_year(void)
{
	return RELEASE / 100;
}

unsigned rte_version_month(void)
{
	return RELEASE % 100;
}
#endif

static char buffer;
static int queue[PORTS];
static void *queues[PORTS];

static int is_queue(const void *it)
{
	for (int port = 0; port < PORTS; port++)
		if (it == &queue[port])
			return 1;
	return 0;
}

static uint16_t receive(void *from, void **packets, uint16_t n)
{
	if (!is_queue(from))
		abort();
	for (uint16_t i = 0; i < n; i++)
		packets[i] = &buffer;
	return n;
}

static uint16_t transmit(void *to, void **packets, uint16_t n)
{
	if (!is_queue(to) || packets[0] != &buffer)
		abort();
	return n;
}

/* A word that the probe does not replace: the queue's count and status. */
static uint16_t other(void *from, void **packets, uint16_t n)
{
	(void)from, (void)packets, (void)n;
	abort();
}

static int started[PORTS];

int rte_eth_dev_start(uint16_t port)
{
	if (started[port]++)
		return 0;
	queues[port] = &queue[port];
	struct line *lines[] = {&rte_eth_fp_ops[port].rx, &rte_eth_fp_ops[port].tx};
	for (int i = 0; i < 2; i++) {
		for (int word = 0; word < WORDS; word++)
			lines[i]->words[word].function = other;
		lines[i]->words[BURST].function = i == 0 ? receive : transmit;
		lines[i]->words[QUEUES].queues = &queues[port];
		lines[i]->words[QUEUES + 1].queues = NULL;
	}
	return 0;
}

uint16_t standin_burst(uint16_t port, int direction, void **packets, uint16_t n)
{
	const struct line *line = direction == 0 ? &rte_eth_fp_ops[port].rx : &rte_eth_fp_ops[port].tx;
	return line->words[BURST].function(line->words[QUEUES].queues[0], packets, n);
}
