/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records of one cache line each in the order of their last use, noted to the second; the oldest expires first. Of the
 * uses within a second only the first moves a record, so that most packets write to no line of another record.
 */
#ifndef USE_LIST_H
#define USE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_prefetch.h>

#define USE_NONE UINT32_MAX
#define USE_STRIDE 64u /* bytes from a record to the next */
#define USE_NS_PER_S UINT64_C(1000000000)

/* A member of every record. */
struct use_links {
	uint64_t last_used_s;
	uint32_t older, newer; /* neighbours' numbers; USE_NONE at the ends */
};

struct use_list {
	uint32_t oldest, newest;
};

#define USE_LIST_EMPTY ((struct use_list){USE_NONE, USE_NONE})

/* first: this member of record 0. */
static inline struct use_links *use_links_of(struct use_links *first, uint32_t record)
{
	return (struct use_links *)(void *)((uint8_t *)first + (uint64_t)record * USE_STRIDE);
}

static inline void use_list_remove(struct use_list *list, struct use_links *first, uint32_t record)
{
	const struct use_links *links = use_links_of(first, record);

	if (links->older == USE_NONE)
		list->oldest = links->newer;
	else
		use_links_of(first, links->older)->newer = links->newer;
	if (links->newer == USE_NONE)
		list->newest = links->older;
	else
		use_links_of(first, links->newer)->older = links->older;
}

static inline void use_list_append(struct use_list *list, struct use_links *first, uint32_t record, uint64_t now_s)
{
	struct use_links *links = use_links_of(first, record);

	links->last_used_s = now_s;
	links->older = list->newest;
	links->newer = USE_NONE;
	if (list->newest == USE_NONE)
		list->oldest = record;
	else
		use_links_of(first, list->newest)->newer = record;
	list->newest = record;
}

static inline bool use_list_is_current(const struct use_links *links, uint64_t now_s)
{
	return links->last_used_s == now_s;
}

/* The record is in the list. */
static inline void use_list_refresh(struct use_list *list, struct use_links *first, uint32_t record, uint64_t now_s)
{
	if (likely(use_list_is_current(use_links_of(first, record), now_s)))
		return;
	use_list_remove(list, first, record);
	use_list_append(list, first, record, now_s);
}

/* Prefetches the neighbours that refreshing the record writes. records: record 0 itself. */
static inline void use_list_prefetch_neighbours(const struct use_links *links, const void *records, uint64_t now_s)
{
	if (likely(use_list_is_current(links, now_s)))
		return;
	if (links->older != USE_NONE)
		rte_prefetch0((const uint8_t *)records + (uint64_t)links->older * USE_STRIDE);
	if (links->newer != USE_NONE)
		rte_prefetch0((const uint8_t *)records + (uint64_t)links->newer * USE_STRIDE);
}

/* The least recently used record, if it has been idle for the timeout since the end of the second of its last use. */
static inline uint32_t use_list_expired(const struct use_list *list, struct use_links *first, uint64_t timeout_s,
					uint64_t now_s)
{
	if (list->oldest == USE_NONE || use_links_of(first, list->oldest)->last_used_s + 1 + timeout_s > now_s)
		return USE_NONE;
	return list->oldest;
}

#endif
