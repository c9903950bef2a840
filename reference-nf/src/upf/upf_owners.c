/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/hashing.h"
#include "upf/gtpu.h"
#include "upf/upf_mark.h"
#include "upf/upf_owners.h"
#include "upf/upf_settings.h"

/* The first 4 bytes of an IPv4 address, or the first 8 of an IPv6 one, as numbers. */
static int32_t by_address(const uint8_t *address, uint8_t version, uint32_t count)
{
	uint64_t number = gtpu_load_be32(address);

	if (version == 6)
		number = number << 32 | gtpu_load_be32(address + 4);
	return (int32_t)(mix64(number) % count);
}

/* As its IPv4 packets, if the session has both: where it has several instances, it has one address of each. */
static int32_t by_prefix(const uint8_t *address, uint32_t count)
{
	const struct upf_store *s = upf_store_running();
	uint64_t prefix;
	void *first;

	memcpy(&prefix, address, sizeof(prefix));
	const struct flow_key key = upf_key(UPF_KEY_IPV6, prefix);
	if (rte_hash_lookup_with_hash_data(s->keys, &key, upf_key_hash(&key), &first) >= 0) {
		uint32_t home = s->pdrs[(uintptr_t)first].home;
		if (home != 0)
			return by_address((const uint8_t *)&home, 4, count);
	}
	return by_address(address, 6, count);
}

/* The packet is to the near end of the tunnels, over UDP. */
static int32_t owner_in_tunnel(const uint8_t *frame, const struct packet *p, uint32_t count)
{
	struct gtpu g;

	if (load_be16(frame + p->l4 + 2) != GTPU_PORT || gtpu_parse(frame + p->payload, p->payload_bytes, &g) != GTPU_SOUND ||
	    g.type != GTPU_G_PDU)
		return OWNER_ANY;
	const uint8_t *inner = frame + p->payload + g.payload;
	if (g.payload_bytes >= IPV4_MIN_BYTES && inner[0] >> 4 == 4)
		return by_address(inner + 12, 4, count);
	if (g.payload_bytes >= IPV6_BYTES && inner[0] >> 4 == 6)
		return by_prefix(inner + 8, count);
	return OWNER_ANY;
}

/* decapsulated: the NIC took it out of its tunnel, so that it comes from the subscriber. */
static int32_t owner_of(uint32_t n3, const uint8_t *frame, const struct packet *p, uint32_t count, bool decapsulated)
{
	if (p->kind >= PACKET_MALFORMED)
		return OWNER_ANY;
	if (p->version == 6)
		return by_prefix(frame + ETHER_BYTES + (decapsulated ? 8 : 24), count);
	if (decapsulated)
		return by_address(frame + ETHER_BYTES + 12, 4, count);
	if (load32(frame + ETHER_BYTES + 16) == n3)
		return p->kind == PACKET_L4 && p->protocol == IPPROTO_UDP ? owner_in_tunnel(frame, p, count) : OWNER_ANY;
	return by_address(frame + ETHER_BYTES + 16, 4, count);
}

void upf_owners(const void *settings, const struct rcu_tables *rcu, const struct batch *b, uint32_t count,
		struct stage_owner owners[])
{
	const struct qer_settings *s = settings;

	(void)rcu;
	for (uint32_t i = 0; i < b->count; i++) {
		const uint8_t *frame = rte_pktmbuf_mtod(b->mbufs[i], const uint8_t *);
		bool decapsulated = (b->mbufs[i]->ol_flags & upf_decapsulated) != 0;
		owners[i] = (struct stage_owner){.instance = owner_of(s->n3, frame, &b->packets[i], count, decapsulated)};
	}
}
