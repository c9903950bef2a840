/* SPDX-License-Identifier: BSD-3-Clause
 *
 * [hop]: how packets get from the process that switches them to the one that runs the stages.
 */
#ifndef HOP_SETTINGS_H
#define HOP_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "hop/field_table.h"

/* How packets cross. The first three share memory, in which packets stay where they are; they differ in where the
 * metadata lies. The others are DPDK's drivers, which copy. */
enum hop_buffers { HOP_NONE, HOP_MBUF, HOP_FDT, HOP_FDT_AGGREGATED, HOP_MEMIF, HOP_VHOST };

/* The part of the hop that this process has. First: the switch's end, behind the stages: two NFs in series. */
enum hop_side { HOP_BOTH, HOP_SWITCH, HOP_NF, HOP_FIRST };

struct hop_settings {
	enum hop_buffers buffers;
	enum hop_side side;
	uint32_t packets;	   /* slots: packets in flight at most; a power of two */
	struct field_table fields; /* of the record of each packet */
	char *path;		   /* of the shared memory, or of the driver's socket; NULL where side is HOP_BOTH */
	char *next;		   /* side first: configuration of the second NF, which this process starts; or NULL */
};

static inline bool hop_shares_memory(const struct hop_settings *s)
{
	return s->buffers >= HOP_MBUF && s->buffers <= HOP_FDT_AGGREGATED;
}

static inline bool hop_has_port(const struct hop_settings *s)
{
	return s->buffers >= HOP_MEMIF;
}

#endif
