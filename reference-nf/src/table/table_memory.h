/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Zeroed memory for tables much larger than a cache, where the reach of the TLB decides: EAL's huge pages where there
 * are any, else transparent ones.
 */
#ifndef TABLE_MEMORY_H
#define TABLE_MEMORY_H

#include <stddef.h>

/* Aligned to a cache line at least, its pages in place. NULL: no memory. */
void *table_memory_take(const char *name, size_t bytes, int socket);
/* bytes: as taken. NULL is nothing. */
void table_memory_give(void *memory, size_t bytes);

#endif
