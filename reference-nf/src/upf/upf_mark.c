/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <rte_errno.h>

#include "upf/upf_mark.h"

int upf_mark_offset;
uint64_t upf_decapsulated;

bool upf_mark_register(void)
{
	static const struct rte_mbuf_dynfield field = {
		.name = "nalm_upf_mark",
		.size = sizeof(struct upf_mark),
		.align = _Alignof(struct upf_mark),
	};

	static const struct rte_mbuf_dynflag flag = {.name = "nalm_decapsulated"};

	upf_mark_offset = rte_mbuf_dynfield_register(&field);
	int bit = rte_mbuf_dynflag_register(&flag);
	if (bit >= 0)
		upf_decapsulated = UINT64_C(1) << bit;
	if (upf_mark_offset >= 0 && bit >= 0)
		return true;
	fprintf(stderr, "upf: packet buffers have no room for a mark: %s\n", rte_strerror(rte_errno));
	return false;
}
