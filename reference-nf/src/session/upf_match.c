/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/upf_match.h"

const struct upf_pdr *upf_match_again(const struct upf_store *s, struct upf_mark *mark, const uint8_t *frame,
				      const struct packet *p)
{
	struct flow_key key = upf_key_of(mark, frame, p);
	void *first;

	if (rte_hash_lookup_with_hash_data(s->keys, &key, upf_key_hash(&key), &first) < 0 ||
	    !upf_match(s, (uint32_t)(uintptr_t)first, mark, frame, p))
		return NULL;
	const struct upf_pdr *r = &s->pdrs[mark->pdr];
	return r->predefined && !upf_policy_passes(mark->policy) ? NULL : r;
}
