/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Longest prefix match in two steps, DIR-24-8 (Gupta, Lin, McKeown, INFOCOM 1998), of addresses of IPv4 to small
 * numbers. Why not rte_fib: generated code reads it, so its layout has to be ours. docs/decisions/0019.
 */
#ifndef OPENFLOW_PREFIXES_H
#define OPENFLOW_PREFIXES_H

#include <stdbool.h>
#include <stdint.h>

#define OPENFLOW_PREFIX_GROUP 0x8000u	   /* the entry leads to a group: its number is in the other bits */
#define OPENFLOW_PREFIX_NUMBERS_MAX 0x7fffu /* what prefixes lead to: 1 to this. 0: no prefix */
#define OPENFLOW_PREFIX_GROUPS_MAX 0x8000u
#define OPENFLOW_PREFIX_BITS 32u

struct openflow_prefix {
	uint32_t address; /* no bits beyond length */
	uint16_t length, number;
};

struct openflow_prefixes {
	uint16_t *first; /* by the address's first 24 bits */
	uint16_t *groups; /* 256 entries each, by the last 8 bits */
	uint32_t group_count, group_room;
	/* What it was made of, so that tables made of the same share it. */
	struct openflow_prefix *list;
	uint32_t count, users;
	struct openflow_prefixes *next;
	/* Where single prefixes change: the length of each entry's prefix + 1, 0: none; of entries of first that lead to a
	 * group, undefined. Else NULL. */
	uint8_t *first_lengths, *group_lengths;
	uint16_t *members; /* by group: prefixes longer than 24 */
	uint16_t *unused;  /* groups given back, the next one last */
	uint32_t unused_count;
};

/* Of a list by rising length, at most OPENFLOW_PREFIX_GROUPS_MAX longer than 24; of equal prefixes the last one holds.
 * Takes the list, made by malloc(). One thread at a time makes and drops. NULL: no memory. */
struct openflow_prefixes *openflow_prefixes_make(struct openflow_prefix *list, uint32_t count, int socket);
/* The same with room for changes of single prefixes, never shared. */
struct openflow_prefixes *openflow_prefixes_make_changeable(struct openflow_prefix *list, uint32_t count, int socket);
/* Whether openflow_prefixes_put() of this prefix has the group that it needs; it is not there yet. */
bool openflow_prefixes_has_room(const struct openflow_prefixes *prefixes, const struct openflow_prefix *prefix);
/* Adds a prefix, or changes its number. Each packet finds either what was there before or this. */
void openflow_prefixes_put(struct openflow_prefixes *prefixes, const struct openflow_prefix *prefix, bool is_new);
/* Takes a prefix away; behind: the longest one that it lies in, or of number 0 where there is none. Returns a group that
 * no packet finds any more, to be given back when no reader can be in it, or OPENFLOW_PREFIX_GROUPS_MAX. */
uint32_t openflow_prefixes_remove(struct openflow_prefixes *prefixes, const struct openflow_prefix *prefix,
				  const struct openflow_prefix *behind);
void openflow_prefixes_give_group(struct openflow_prefixes *prefixes, uint32_t group);
/* NULL is nothing. */
void openflow_prefixes_drop(struct openflow_prefixes *prefixes);

static inline uint32_t openflow_prefixes_find(const struct openflow_prefixes *p, uint32_t address)
{
	uint32_t entry = __atomic_load_n(&p->first[address >> 8], __ATOMIC_ACQUIRE);

	if (__builtin_expect((entry & OPENFLOW_PREFIX_GROUP) == 0, 1))
		return entry;
	return __atomic_load_n(&p->groups[(entry & (OPENFLOW_PREFIX_GROUP - 1)) << 8 | (address & 0xff)], __ATOMIC_ACQUIRE);
}

#endif
