/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>

#include <rte_eal.h>
#include <rte_malloc.h>
#include <sys/mman.h>

#include "table/table_memory.h"

#define HUGE_PAGE ((size_t)2 << 20)
#define SMALL_PAGE ((size_t)4 << 10)

static size_t whole_pages(size_t bytes)
{
	return (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
}

/* mmap() aligns to small pages, so this maps one huge page more and unmaps the excess at both ends. */
static uint8_t *map_aligned(size_t bytes)
{
	uint8_t *map = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	size_t before = -(uintptr_t)map & (HUGE_PAGE - 1);
	if (before != 0)
		munmap(map, before);
	munmap(map + before + bytes, HUGE_PAGE - before);
	return map + before;
}

/* Memory is on the socket of the calling lcore, by first touch. */
static void *map_transparent(size_t bytes)
{
	uint8_t *memory = map_aligned(bytes);

	if (memory == NULL)
		return NULL;
	(void)madvise(memory, bytes, MADV_HUGEPAGE); /* without them the kernel uses small pages */
	for (size_t at = 0; at < bytes; at += SMALL_PAGE) /* avoids page faults while packets pass */
		((volatile uint8_t *)memory)[at] = 0;
	return memory;
}

void *table_memory_take(const char *name, size_t bytes, int socket)
{
	if (rte_eal_has_hugepages())
		return rte_zmalloc_socket(name, bytes, RTE_CACHE_LINE_SIZE, socket);
	return map_transparent(whole_pages(bytes));
}

void table_memory_give(void *memory, size_t bytes)
{
	if (rte_eal_has_hugepages())
		rte_free(memory);
	else if (memory != NULL)
		munmap(memory, whole_pages(bytes));
}
