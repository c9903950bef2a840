/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Zeroed memory for tables much larger than a cache, whose speed depends on the TLB: EAL's huge pages if there are any,
 * else transparent ones.
 */
#ifndef TABLE_MEMORY_H
#define TABLE_MEMORY_H

#include <stddef.h>

/* At least cache-line aligned, with its pages allocated. NULL: no memory. */
void *table_memory_take(const char *name, size_t bytes, int socket);
/* bytes: as in the allocation. NULL is ignored. */
void table_memory_give(void *memory, size_t bytes);

#endif
