/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UPF_KEYS_H
#define UPF_KEYS_H

#include "session/upf_store.h"

#define UPF_KEYS_OF_PDR 2u

/* Keys of a PDR: one, or two where the subscriber has an address of each version. */
static inline uint32_t upf_keys_of(const struct upf_pdr_terms *p, struct flow_key keys[UPF_KEYS_OF_PDR])
{
	uint32_t n = 0;

	if (p->side == UPF_ACCESS) {
		keys[n++] = upf_key(UPF_KEY_TEID, p->teid);
		return n;
	}
	if ((p->ue.versions & DPI_IPV4) != 0)
		keys[n++] = upf_key(UPF_KEY_IPV4, p->ue.ipv4);
	if ((p->ue.versions & DPI_IPV6) != 0)
		keys[n++] = upf_key(UPF_KEY_IPV6, p->ue.ipv6);
	return n;
}
#endif
