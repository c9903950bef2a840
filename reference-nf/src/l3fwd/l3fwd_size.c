/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>

#include "l3fwd/l3fwd_size.h"

#define FIRST_LEVEL (1ull << 24) /* entries, of either library */
#define GROUP 256u		 /* entries */
#define FIB_GROUPS_2B 0x7fffu	 /* rte_fib numbers groups in an entry without one bit */
/* A route takes at most two nodes of rte_rib. A node takes three cache lines of a mempool, which include the spread
 * over memory channels, and a place in the pool's ring, whose size is a power of two. */
#define RIB_ROUTE_BYTES (2 * (3 * 64 + 2 * 8))
#define LPM6_ENTRY_BYTES 4u
#define LPM6_ROUTE_BYTES 96u /* in the rte_hash of its rules */

static uint32_t count_long(const struct l3fwd_settings *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->route_count; i++)
		n += s->routes[i].prefix.length > 24;
	return n;
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct ipv6_prefix)); /* address, then length */
}

/* Groups after the first `bytes` bytes of the addresses: one for each distinct value among longer routes. */
static uint32_t count_groups(const struct ipv6_prefix *sorted, uint32_t n, uint32_t bytes)
{
	const struct ipv6_prefix *last = NULL;
	uint32_t groups = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (sorted[i].length <= bytes * 8)
			continue;
		groups += last == NULL || memcmp(last->address, sorted[i].address, bytes) != 0;
		last = &sorted[i];
	}
	return groups;
}

static bool count_groups6(const struct l3fwd_settings *s, uint32_t *groups)
{
	uint32_t n = s->route6_count;
	struct ipv6_prefix *sorted = malloc((n + 1) * sizeof(*sorted));

	if (sorted == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = s->routes6[i].prefix;
	qsort(sorted, n, sizeof(*sorted), compare);
	*groups = 1;
	for (uint32_t bytes = 3; bytes < IPV6_ADDRESS_BYTES; bytes++)
		*groups += count_groups(sorted, n, bytes);
	free(sorted);
	return true;
}

bool l3fwd_size_of(const struct l3fwd_settings *s, int socket, struct l3fwd_size *size)
{
	struct rte_malloc_socket_stats heap;

	size->groups = count_long(s) + 1;
	size->entry_bytes = size->groups <= FIB_GROUPS_2B ? 2 : 4;
	if (!count_groups6(s, &size->groups6))
		return false;
	uint64_t bytes = (FIRST_LEVEL + (uint64_t)GROUP * size->groups) * size->entry_bytes +
			 (uint64_t)s->route_count * RIB_ROUTE_BYTES;
	if (s->route6_count != 0)
		bytes += (FIRST_LEVEL + (uint64_t)GROUP * size->groups6) * LPM6_ENTRY_BYTES +
			 (uint64_t)s->route6_count * LPM6_ROUTE_BYTES;
	size->megabytes = (bytes >> 20) + 1;
	size->eal_megabytes = size->megabytes;
	if (rte_malloc_get_socket_stats(socket, &heap) == 0)
		size->eal_megabytes += (heap.heap_allocsz_bytes >> 20) + 1;
	return true;
}
