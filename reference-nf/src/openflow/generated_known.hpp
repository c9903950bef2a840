/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of a packet while code for it is made: constants, and values that the row of an entry has. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "openflow/openflow_layout.h"
#include "openflow/openflow_table.h"

namespace openflow_generated {

const struct openflow_layout &lay = ::openflow_layout;

constexpr size_t first_bytes = 64 << 10; /* it grows */
constexpr size_t first_bytes_apart = 8 << 10;
constexpr size_t spare_rows = 64;
constexpr size_t max_states = 8;	 /* of one table; more share one in which nothing is known */
constexpr uint32_t unknown = UINT32_MAX;
constexpr uint32_t ipv4 = 0x0800, ipv6 = 0x86dd;

enum { AT_SOURCE_MAC = 6, AT_TYPE = 12, AT_IP = 14, AT_TTL = 22, AT_IPV6_SRC = 22, AT_IPV4_SRC = 26,
       AT_IPV4_DST = 30, AT_IPV6_DST = 38 };

constexpr uint32_t window_bits = 8; /* rows by key: the most that keys may differ in */
constexpr uint64_t no_entry = UINT64_MAX; /* of a row */
constexpr uint32_t every_table = (1u << OPENFLOW_TABLES) - 1;

/* On the stack, from rsp. */
enum { STACK_NOW = 0, STACK_ROW = 8, STACK_METADATA = 16, STACK_SET = 24 };
constexpr size_t STACK_BYTES = STACK_SET + sizeof(openflow_action_set);
static_assert((STACK_BYTES + 7 * 8) % 16 == 0, "calls need an aligned stack");

constexpr uint64_t full_masks[OPENFLOW_FIELDS] = {
	UINT64_MAX, UINT64_MAX, (1ull << 48) - 1, (1ull << 48) - 1, 0xffff, 63, 255, UINT32_MAX, UINT32_MAX,
	UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x1ffff, 0x1ffff};

/* A constant, or a word of the row of the entry that was found. */
struct Value {
	bool constant = true;
	uint64_t number = 0; /* the constant, or the row's word */
};

struct ActionSet {
	uint32_t present = 0;
	Value values[OPENFLOW_ACTIONS];

	bool has(uint32_t kind) const { return present >> kind & 1; }
	bool constant() const
	{
		for (uint32_t kind = 0; kind < OPENFLOW_ACTIONS; kind++)
			if (has(kind) && !values[kind].constant)
				return false;
		return true;
	}
};

/* What is known of a packet that comes to a table. */
struct State {
	uint32_t eth_type = unknown;
	bool set_in_memory = false; /* the action set is not known, and on the stack */
	ActionSet set;
};

inline std::vector<uint64_t> key_of(uint32_t table, const State &state)
{
	std::vector<uint64_t> key = {table, state.eth_type, state.set_in_memory, state.set.present};

	for (uint32_t kind = 0; kind < OPENFLOW_ACTIONS; kind++)
		key.push_back(state.set.has(kind) ? state.set.values[kind].number : 0);
	return key;
}

/* Bit set of tables from which on metadata is read. */
inline uint32_t metadata_readers(const openflow_tables *t)
{
	uint32_t readers = 0;

	if ((t->terms_used >> OPENFLOW_METADATA & 1) == 0)
		return 0;
	for (uint32_t n = OPENFLOW_TABLES; n-- != 0;) { /* entries lead to later tables */
		const openflow_table &table = *t->tables[n];
		for (uint32_t i = 0; i < table.entry_count && (readers >> n & 1) == 0; i++) {
			const openflow_entry &e = table.entries[i];
			const uint32_t next = t->instructions[e.instructions].next;
			bool reads = next != OPENFLOW_NONE && (readers >> next & 1) != 0;
			for (uint32_t k = 0; k < e.term_count; k++)
				reads |= table.terms[e.first_term + k].field == OPENFLOW_METADATA;
			readers |= static_cast<uint32_t>(reads) << n;
		}
	}
	return readers;
}

inline bool keeps_metadata(const openflow_instructions &i, uint32_t readers)
{
	return i.metadata_mask != 0 && i.next != OPENFLOW_NONE && (readers >> i.next & 1) != 0;
}

} // namespace openflow_generated
