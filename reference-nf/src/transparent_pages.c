/* SPDX-License-Identifier: BSD-3-Clause */
#include "transparent_pages.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_memory.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)

/* Copies what a file has to memory as long as the file; its holes are zero there already. */
static bool copy_file(int file, const char *from, char *to, size_t length)
{
	off_t begin = 0, end;

	while ((begin = lseek(file, begin, SEEK_DATA)) >= 0) {
		end = lseek(file, begin, SEEK_HOLE);
		if (end < 0 || (size_t)end > length)
			return false;
		memcpy(to + begin, from + begin, (size_t)(end - begin));
		begin = end;
	}
	return errno == ENXIO; /* no data behind begin */
}

/* Puts private memory with the same content in the place of a file's mapping. */
static void replace(int file, char *at, size_t length)
{
	size_t room = length + HUGE_PAGE;
	char *reserved = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (reserved == MAP_FAILED)
		return;
	/* The kernel moves huge pages whole between addresses that lie alike in them. */
	size_t before = ((uintptr_t)at - (uintptr_t)reserved) & (HUGE_PAGE - 1);
	char *like = reserved + before;
	bool moved = madvise(like, length, MADV_HUGEPAGE) == 0 && copy_file(file, at, like, length) &&
		     mremap(like, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, at) != MAP_FAILED;
	if (!moved)
		(void)munmap(like, length);
	if (before != 0)
		(void)munmap(reserved, before);
	(void)munmap(like + length, HUGE_PAGE - before);
}

static int advise(const struct rte_memseg_list *list, void *arg)
{
	RTE_SET_USED(arg);
	if (list->external || list->len == 0)
		return 0;
	int file = rte_memseg_get_fd_thread_unsafe(rte_fbarray_get(&list->memseg_arr, 0));
	if (file >= 0)
		replace(file, list->base_va, list->len);
	else
		(void)madvise(list->base_va, list->len, MADV_HUGEPAGE);
	return 0;
}

void transparent_pages_use(void)
{
	if (!rte_eal_has_hugepages())
		(void)rte_memseg_list_walk(advise, NULL);
}
