/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which PDR a packet matches: of those of its key, the first by precedence that its addresses, its filter and the
 * static policies allow.
 */
#ifndef UPF_MATCH_H
#define UPF_MATCH_H

#include "dpi/dpi_tuples.h"
#include "session/upf_store.h"

static inline bool upf_has_ports(const struct packet *p)
{
	return p->kind == PACKET_L4 && (p->protocol == IPPROTO_TCP || p->protocol == IPPROTO_UDP);
}

/* What filters look at. Of packets without ports, and of fragments, these are 0. The packet has a sound IP header. */
static inline void upf_tuple_key(struct dpi_key *key, const uint8_t *frame, const struct packet *p)
{
	static const uint8_t none[4];
	uint32_t bytes = p->version == 4 ? 4 : 16, at = ETHER_BYTES + (p->version == 4 ? 12 : 8);

	key->protocol = p->protocol;
	key->version = p->version;
	memcpy(key->ports, upf_has_ports(p) ? frame + p->l4 : none, sizeof(key->ports));
	memcpy(key->source, frame + at, bytes);
	memcpy(key->destination, frame + at + bytes, bytes);
}

static inline bool upf_any_port(const uint16_t ports[2])
{
	return ports[0] == 0 && ports[1] == UINT16_MAX;
}

static inline bool upf_filter_fits(const struct dpi_tuple *filter, const uint8_t *frame, const struct packet *p)
{
	struct dpi_key key;

	if (!upf_has_ports(p) && !(upf_any_port(filter->source_ports) && upf_any_port(filter->destination_ports)))
		return false;
	upf_tuple_key(&key, frame, p);
	return dpi_tuple_fits(filter, &key);
}

/* An uplink packet has the address that the PDR knows, where it knows one. */
static inline bool upf_source_fits(const struct upf_ue *ue, const uint8_t *frame, const struct packet *p)
{
	uint64_t prefix;

	if (ue->versions == 0)
		return true;
	if (p->version == 4)
		return (ue->versions & DPI_IPV4) != 0 && load32(frame + ETHER_BYTES + 12) == ue->ipv4;
	memcpy(&prefix, frame + ETHER_BYTES + 8, sizeof(prefix));
	return (ue->versions & DPI_IPV6) != 0 && prefix == ue->ipv6;
}

static inline bool upf_pdr_fits(const struct upf_store *s, const struct upf_pdr *r, const struct upf_mark *mark,
				const uint8_t *frame, const struct packet *p)
{
	if (r->side == UPF_ACCESS && !upf_source_fits(&r->ue, frame, p))
		return false;
	if ((r->predefined && mark->policy == 0) || (r->match_qfis >> (mark->qfi & 63) & 1) == 0)
		return false;
	return r->filter == UPF_NONE || upf_filter_fits(&s->filters[r->filter].tuple, frame, p);
}

/* From the first PDR of its key on; notes the one that fits in the packet's mark. */
static inline bool upf_match(const struct upf_store *s, uint32_t first, struct upf_mark *mark, const uint8_t *frame,
			     const struct packet *p)
{
	for (uint32_t at = first; at != UPF_NONE; at = s->pdrs[at].next) {
		const struct upf_pdr *r = &s->pdrs[at];
		uint32_t epoch = atomic_load_explicit(&((struct upf_pdr *)(uintptr_t)r)->epoch, memory_order_acquire); /* (M) */
		if (!upf_pdr_fits(s, r, mark, frame, p))
			continue;
		mark->pdr = at;
		mark->epoch = epoch;
		return true;
	}
	return false;
}

/* The packet has a sound IP header. */
static inline struct flow_key upf_key_of(const struct upf_mark *mark, const uint8_t *frame, const struct packet *p)
{
	uint64_t prefix;

	if (mark->side == UPF_ACCESS)
		return upf_key(UPF_KEY_TEID, mark->teid);
	if (p->version == 4)
		return upf_key(UPF_KEY_IPV4, load32(frame + ETHER_BYTES + 16));
	memcpy(&prefix, frame + ETHER_BYTES + 24, sizeof(prefix));
	return upf_key(UPF_KEY_IPV6, prefix);
}

static inline bool upf_policy_passes(uint32_t policy)
{
	return policy & 1;
}

/* In force when it was found, and since. What was found as it was being taken away is looked up again. */
static inline bool upf_is_current(const struct upf_store *s, const struct upf_mark *mark)
{
	return (mark->epoch & 1) != 0 &&
	       atomic_load_explicit(&s->pdrs[mark->pdr].epoch, memory_order_acquire) == mark->epoch;
}

/* The rules of a packet that was matched before they changed. NULL: its session, or what it matched, is gone. */
const struct upf_pdr *upf_match_again(const struct upf_store *store, struct upf_mark *mark, const uint8_t *frame,
				      const struct packet *packet);

/* The PDR that a packet matched, as it is in force now. NULL: as above. */
static inline const struct upf_pdr *upf_matched(const struct upf_store *s, struct rte_mbuf *m, const struct packet *p)
{
	struct upf_mark *mark = upf_mark(m);

	if (likely(upf_is_current(s, mark)))
		return &s->pdrs[mark->pdr];
	return upf_match_again(s, mark, rte_pktmbuf_mtod(m, const uint8_t *), p);
}

#endif
