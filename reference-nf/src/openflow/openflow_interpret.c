/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables, entries, instructions and actions read one by one: what generated code is held against, and compared with.
 */
#include "openflow/openflow_interpret.h"

static uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return rte_be_to_cpu_64(word);
}

static void read_ipv6(struct openflow_key *key, const uint8_t *frame)
{
	key->fields[OPENFLOW_IPV6_SRC] = word_at(frame + OPENFLOW_AT_IPV6_SRC);
	key->fields[OPENFLOW_IPV6_SRC_LOW] = word_at(frame + OPENFLOW_AT_IPV6_SRC + 8);
	key->fields[OPENFLOW_IPV6_DST] = word_at(frame + OPENFLOW_AT_IPV6_DST);
	key->fields[OPENFLOW_IPV6_DST_LOW] = word_at(frame + OPENFLOW_AT_IPV6_DST + 8);
}

/* What an action can change, and what metadata can be. */
static void read_headers(struct openflow_key *key, const uint8_t *frame, const struct packet *p)
{
	key->fields[OPENFLOW_ETH_DST] = word_at(frame) >> 16;
	key->fields[OPENFLOW_ETH_SRC] = word_at(frame + OPENFLOW_AT_SOURCE_MAC) >> 16;
	if (p->version == 0)
		return;
	key->fields[OPENFLOW_IP_DSCP] = openflow_dscp(frame, p);
	if (p->version == 4) {
		key->fields[OPENFLOW_IPV4_SRC] = rte_be_to_cpu_32(load32(frame + OPENFLOW_AT_IPV4_SRC));
		key->fields[OPENFLOW_IPV4_DST] = rte_be_to_cpu_32(load32(frame + OPENFLOW_AT_IPV4_DST));
	} else {
		read_ipv6(key, frame);
	}
}

static void read_key(struct openflow_key *key, const struct openflow_packet *packet)
{
	const struct packet *p = packet->parsed;

	memset(key, 0, sizeof(*key));
	key->fields[OPENFLOW_IN_PORT] = packet->in_port;
	key->fields[OPENFLOW_ETH_TYPE] = load_be16(packet->frame + OPENFLOW_AT_TYPE);
	key->fields[OPENFLOW_IP_PROTO] = p->protocol;
	key->fields[OPENFLOW_L4_SRC] = key->fields[OPENFLOW_L4_DST] = OPENFLOW_NO_L4;
	if (p->kind == PACKET_L4) {
		key->fields[OPENFLOW_L4_SRC] = load_be16(packet->frame + p->l4);
		key->fields[OPENFLOW_L4_DST] = load_be16(packet->frame + p->l4 + 2);
	}
	read_headers(key, packet->frame, p);
}

static enum openflow_outcome apply(const struct openflow_instructions *i, const struct openflow_packet *packet,
				   struct openflow_key *key)
{
	for (uint32_t a = 0; a < i->apply_count; a++) {
		enum openflow_outcome outcome =
			openflow_change(packet->frame, packet->parsed, i->apply[a].kind, i->apply[a].value);
		if (outcome != OPENFLOW_GOES_ON)
			return outcome;
	}
	if (i->apply_count != 0)
		read_headers(key, packet->frame, packet->parsed);
	return OPENFLOW_GOES_ON;
}

static void write_actions(struct openflow_action_set *set, const struct openflow_action_set *more)
{
	for (uint32_t left = more->present; left != 0; left &= left - 1) {
		uint32_t kind = (uint32_t)__builtin_ctz(left);
		set->values[kind] = more->values[kind];
	}
	set->present |= more->present;
}

static enum openflow_outcome change_all(const struct openflow_action_set *set, uint8_t *frame, const struct packet *p)
{
	for (uint32_t left = set->present & ((1u << OPENFLOW_QUEUE) - 1); left != 0; left &= left - 1) {
		uint32_t kind = (uint32_t)__builtin_ctz(left);
		enum openflow_outcome outcome = openflow_change(frame, p, kind, set->values[kind]);
		if (outcome != OPENFLOW_GOES_ON)
			return outcome;
	}
	return OPENFLOW_GOES_ON;
}

/* Where the packet leaves; without such a port it is dropped. queue: what a set-queue before has said. */
static enum openflow_outcome output(struct openflow_row *row, const struct openflow_action_set *set, uint64_t queue)
{
	if ((set->present >> OPENFLOW_OUTPUT & 1) == 0)
		return OPENFLOW_DROPPED;
	if (set->present >> OPENFLOW_QUEUE & 1)
		queue = set->values[OPENFLOW_QUEUE];
	row->outputs[set->values[OPENFLOW_OUTPUT]][queue]++;
	return OPENFLOW_SENT_OUT;
}

enum openflow_outcome openflow_execute(const struct openflow_settings *s, struct openflow_row *row,
				       const struct openflow_action_set *set, uint8_t *frame, const struct packet *parsed)
{
	enum openflow_outcome outcome = change_all(set, frame, parsed);

	if (outcome != OPENFLOW_GOES_ON)
		return outcome;
	if ((set->present >> OPENFLOW_GROUP & 1) == 0)
		return output(row, set, 0);
	const struct openflow_action_set *bucket = &s->groups[set->values[OPENFLOW_GROUP]].actions;
	row->groups[set->values[OPENFLOW_GROUP]]++;
	outcome = change_all(bucket, frame, parsed);
	return outcome != OPENFLOW_GOES_ON ? outcome : output(row, bucket, set->values[OPENFLOW_QUEUE]);
}

/* false: the packet is dropped. */
static bool meter(const struct openflow_tables *t, struct openflow_row *row, uint32_t number,
		  const struct openflow_packet *packet, struct openflow_key *key)
{
	const struct openflow_limit *limit = &t->limits[number];

	if (openflow_bucket_take(limit, &row->meters[number], packet->bytes, packet->now_ns))
		return true;
	if (limit->remark == 0)
		return false;
	openflow_remark(packet->frame, packet->parsed, limit->remark);
	read_headers(key, packet->frame, packet->parsed);
	return true;
}

enum openflow_outcome openflow_interpret(const struct openflow_tables *t, struct openflow_row *row,
					 const struct openflow_packet *packet)
{
	struct openflow_action_set set = {.present = 0};
	struct openflow_key key;
	uint32_t table = 0;

	if (packet->parsed->kind == PACKET_MALFORMED)
		return OPENFLOW_MALFORMED;
	if (packet->parsed->kind == PACKET_VLAN)
		return OPENFLOW_VLAN;
	read_key(&key, packet);
	while (table != OPENFLOW_NONE) {
		row->lookups[table]++;
		uint32_t found = openflow_table_find(t, table, &key);
		if (found == OPENFLOW_NONE) {
			row->misses[table]++;
			return OPENFLOW_MISSED;
		}
		const struct openflow_instructions *i = openflow_instructions_at(t, found);
		if (i->meter != OPENFLOW_NONE && !meter(t, row, i->meter, packet, &key))
			return OPENFLOW_METERED;
		enum openflow_outcome outcome = apply(i, packet, &key);
		if (outcome != OPENFLOW_GOES_ON)
			return outcome;
		if (i->clear)
			set = (struct openflow_action_set){.present = 0};
		write_actions(&set, &i->write);
		key.fields[OPENFLOW_METADATA] = (key.fields[OPENFLOW_METADATA] & ~i->metadata_mask) | i->metadata;
		table = i->next;
	}
	return openflow_execute(t->settings, row, &set, packet->frame, packet->parsed);
}
