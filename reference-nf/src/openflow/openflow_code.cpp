/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generated code: one function that takes a batch through the tables as they are. A template for each match, action and
 * kind of table; what the tables hold is folded into the instructions as constants, tables follow each other by jumps.
 * What is known of a packet at a table (its eth_type, the action set written so far) is known when the code is made:
 * the table's code is made once for each such state. Where entries of a table differ in constants alone, they share
 * code and the constants are read from the entry's row. Keys that differ in a few adjacent bits number the rows.
 */
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include <xbyak/xbyak.h>

#include "openflow/openflow_code.h"
#include "openflow/openflow_layout.h"
#include "openflow/openflow_table.h"

namespace {

using Xbyak::Label;
using Xbyak::Reg64;

const struct openflow_layout &lay = ::openflow_layout;

constexpr size_t first_bytes = 64 << 10; /* it grows */
constexpr size_t first_bytes_apart = 8 << 10;
constexpr size_t spare_rows = 64;
constexpr size_t max_states = 8;	 /* of one table; more share one in which nothing is known */
constexpr uint32_t unknown = UINT32_MAX;
constexpr uint32_t ipv4 = 0x0800, ipv6 = 0x86dd;

enum { AT_SOURCE_MAC = 6, AT_TYPE = 12, AT_IP = 14, AT_HOP_LIMIT = 21, AT_TTL = 22, AT_IPV6_SRC = 22, AT_IPV4_SRC = 26,
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

std::vector<uint64_t> key_of(uint32_t table, const State &state)
{
	std::vector<uint64_t> key = {table, state.eth_type, state.set_in_memory, state.set.present};

	for (uint32_t kind = 0; kind < OPENFLOW_ACTIONS; kind++)
		key.push_back(state.set.has(kind) ? state.set.values[kind].number : 0);
	return key;
}

/* Bit set of tables from which on metadata is read. */
uint32_t metadata_readers(const openflow_tables *t)
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

bool keeps_metadata(const openflow_instructions &i, uint32_t readers)
{
	return i.metadata_mask != 0 && i.next != OPENFLOW_NONE && (readers >> i.next & 1) != 0;
}

/* Keys of a hash table that differ in adjacent bits alone: base + index << low. */
struct Window {
	uint64_t base = 0;
	uint32_t low = 0, size = 0; /* size 0: they differ in more */
};

Window window_of(const openflow_exact &e)
{
	uint64_t ones = UINT64_MAX, any = 0;
	Window w;

	if (e.key_count != 1)
		return w;
	for (size_t at = 0; at <= e.slot_mask; at++) {
		const uint64_t *slot = e.slots + (at << e.shift);
		if (slot[1] == 0)
			continue;
		ones &= slot[0];
		any |= slot[0];
	}
	const uint64_t differ = any & ~ones;
	w.low = static_cast<uint32_t>(__builtin_ctzll(differ));
	const uint32_t bits = 64 - static_cast<uint32_t>(__builtin_clzll(differ)) - w.low;
	if (bits > window_bits)
		return w;
	w.size = 1u << bits;
	w.base = ones & ~(static_cast<uint64_t>(w.size - 1) << w.low);
	return w;
}

/* What entries do, apart from constants: entries of one shape share code. */
struct Shape {
	std::vector<Value> values; /* in the order in which execute() uses them */
	openflow_instructions example;
};

/* What the keys of a table lead to, by number, and the rows that have what differs among entries of one shape. */
class Rows {
public:
	/* numbers: of instructions, or OPENFLOW_NONE: no entry. readers: tables from which on metadata is read. */
	Rows(const openflow_tables *t, const uint32_t *numbers, size_t count, size_t room, uint32_t readers) :
		tables(t), readers(readers)
	{
		for (size_t n = 0; n < count; n++)
			add_shape(numbers[n]);
		find_varying(numbers, count);
		if (shapes.size() == 1 && words == 1 && room == count && !has_gaps)
			return; /* one piece of code, and no constant that differs */
		this->room = room;
		data.reset(new uint64_t[std::max<size_t>(room * words, 1)]());
		for (size_t n = 0; n < count; n++)
			fill(n, shape_of[n], numbers[n]);
	}

	/* Whether the code that is there can execute what a number now leads to: its row says how. */
	bool takes(size_t number, uint32_t instructions)
	{
		auto shape = by_signature.find(signature_of(instructions));

		if (number >= room || shape == by_signature.end())
			return false;
		const std::vector<Value> &known = shapes[shape->second].values;
		std::vector<Value> values = constants_of(instructions);
		for (size_t v = 0; v < values.size(); v++)
			if (known[v].constant && known[v].number != values[v].number)
				return false;
		fill(number, shape->second, instructions);
		return true;
	}

	std::vector<Value> constants_of(uint32_t instructions) const
	{
		std::vector<Value> values;

		constants(tables->instructions[instructions], [&](uint64_t number) { values.push_back({true, number}); });
		return values;
	}

	static bool ends_in_group(const openflow_instructions &i)
	{
		return i.next == OPENFLOW_NONE && (i.write.present >> OPENFLOW_GROUP & 1);
	}

	std::vector<Shape> shapes;
	std::unique_ptr<uint64_t[]> data; /* rows: the number of the shape, then what varies; or none */
	size_t words = 1;		  /* of a row */
	bool has_gaps = false;		  /* numbers without an entry */

private:
	const openflow_tables *tables;
	uint32_t readers;
	std::map<std::vector<uint64_t>, size_t> by_signature;
	std::vector<size_t> shape_of; /* by number */
	size_t room = 0;

	/* Calls take for every constant of the instructions, in the order in which execute() uses them. */
	template <typename Take> void constants(const openflow_instructions &i, Take take) const
	{
		for (uint32_t a = 0; a < i.apply_count; a++)
			take(i.apply[a].value);
		for (uint32_t kind = 0; kind < OPENFLOW_ACTIONS; kind++)
			if (i.write.present >> kind & 1)
				take(i.write.values[kind]);
		if (keeps_metadata(i, readers))
			take(i.metadata);
		if (ends_in_group(i)) {
			const openflow_action_set &bucket = tables->settings->groups[i.write.values[OPENFLOW_GROUP]].actions;
			for (uint32_t kind = 0; kind < OPENFLOW_ACTIONS; kind++)
				if (bucket.present >> kind & 1)
					take(bucket.values[kind]);
		}
	}

	std::vector<uint64_t> signature_of(uint32_t instructions) const
	{
		const openflow_instructions &i = tables->instructions[instructions];
		const uint64_t metadata_mask = keeps_metadata(i, readers) ? i.metadata_mask : 0;
		std::vector<uint64_t> signature = {i.meter, i.next, i.clear, metadata_mask, i.write.present};

		for (uint32_t a = 0; a < i.apply_count; a++)
			signature.push_back(i.apply[a].kind);
		if (ends_in_group(i))
			signature.push_back(tables->settings->groups[i.write.values[OPENFLOW_GROUP]].actions.present);
		return signature;
	}

	void add_shape(uint32_t instructions)
	{
		if (instructions == OPENFLOW_NONE) {
			has_gaps = true;
			shape_of.push_back(SIZE_MAX);
			return;
		}
		auto at = by_signature.emplace(signature_of(instructions), shapes.size());

		if (at.second)
			shapes.push_back({constants_of(instructions), tables->instructions[instructions]});
		shape_of.push_back(at.first->second);
	}

	/* Gives what differs among entries of a shape a word of their rows, from 1. */
	void find_varying(const uint32_t *numbers, size_t count)
	{
		std::vector<std::vector<bool>> varies;

		for (const Shape &shape : shapes)
			varies.emplace_back(shape.values.size());
		for (size_t n = 0; n < count; n++) {
			if (numbers[n] == OPENFLOW_NONE)
				continue;
			std::vector<Value> values = constants_of(numbers[n]);
			for (size_t v = 0; v < values.size(); v++)
				if (values[v].number != shapes[shape_of[n]].values[v].number)
					varies[shape_of[n]][v] = true;
		}
		for (size_t n = 0; n < shapes.size(); n++) {
			size_t word = 0;
			for (size_t v = 0; v < varies[n].size(); v++)
				if (varies[n][v])
					shapes[n].values[v] = {false, ++word};
			words = std::max(words, word + 1);
		}
	}

	void fill(size_t number, size_t shape, uint32_t instructions)
	{
		uint64_t *row = &data[number * words];

		if (instructions == OPENFLOW_NONE) {
			row[0] = no_entry;
			return;
		}
		std::vector<Value> values = constants_of(instructions);
		row[0] = shape;
		for (size_t v = 0; v < values.size(); v++)
			if (!shapes[shape].values[v].constant)
				row[shapes[shape].values[v].number] = values[v].number;
	}
};

/* Where the code of a table lies apart from the others': tables and states by place in a row. */
class Places {
public:
	/* The place of a table for what is known of a packet; a new one if there is none. */
	virtual uint32_t place_of(uint32_t table, const State &state) = 0;
	/* Whether the table has such a place, or may have one more. */
	virtual bool has_room(uint32_t table, const State &state) = 0;
	virtual const Rows &rows_of(uint32_t table) = 0;
	virtual const openflow_table &table_of(uint32_t table) = 0;

protected:
	~Places() = default;
};

class Code : public Xbyak::CodeGenerator {
public:
	/* All tables in one. */
	explicit Code(const openflow_tables *t) :
		CodeGenerator(first_bytes, Xbyak::AutoGrow), tables(t), s(t->settings), readers(metadata_readers(t))
	{
		make();
		ready(PROTECT_RE); /* written until here, executed from here on */
	}

	/* What goes through a batch, without tables. */
	Code(const openflow_tables *t, Places &all) :
		CodeGenerator(first_bytes_apart, Xbyak::AutoGrow), tables(t), s(t->settings), readers(every_table), places(&all)
	{
		make();
		ready(PROTECT_RE);
	}

	/* One table, for packets of which this is known. */
	Code(const openflow_tables *t, Places &all, uint32_t table, const State &state) :
		CodeGenerator(first_bytes_apart, Xbyak::AutoGrow), tables(t), s(t->settings), readers(every_table), places(&all)
	{
		make_table(table, state);
		make_ends();
		jmp(ptr[row + at_place(0)]);
		ready(PROTECT_RE);
	}

	/* Of the first alone. */
	const void *next_packet_at() const { return next_packet.getAddress(); }

private:
	const openflow_tables *tables;
	const openflow_settings *s;
	uint32_t readers; /* tables from which on metadata is read */
	bool row_at_hand = false; /* r10: the row of the entry that was found */
	Places *places = nullptr; /* each table apart, or none */
	std::map<std::vector<uint64_t>, Label> labels;
	std::vector<std::pair<uint32_t, State>> todo;
	std::map<uint32_t, size_t> states;
	std::vector<std::function<void()>> cold; /* code that few packets need, behind the rest */
	std::vector<std::unique_ptr<Rows>> rows; /* of tables that are not apart */
	Label next_packet, outcome_in_eax, malformed, vlan, ttl_expired, metered;

	/* What stays the same throughout: all are preserved over calls. */
	const Reg64 frame = rbx, parsed = rbp, batch = r12, number = r13, row = r14, mbuf = r15;

	void make()
	{
		Label loop, done;

		push(rbx), push(rbp), push(r12), push(r13), push(r14), push(r15);
		sub(rsp, STACK_BYTES);
		mov(batch, rdi);
		mov(row, rsi);
		mov(ptr[rsp + STACK_NOW], rdx);
		lea(parsed, ptr[batch + lay.batch_packets]);
		xor_(number.cvt32(), number.cvt32());
		cmp(dword[batch + lay.batch_count], 0);
		je(done, T_NEAR);
		if (places != nullptr || tables->fetched != nullptr)
			fetch_ahead();
		align(32);
		L(loop);
		begin_packet();
		while (!todo.empty()) {
			auto [table, state] = todo.back();
			todo.pop_back();
			L(labels[key_of(table, state)]);
			make_table(table, state);
		}
		make_ends();
		next(loop);
		L(done);
		add(rsp, STACK_BYTES);
		pop(r15), pop(r14), pop(r13), pop(r12), pop(rbp), pop(rbx);
		ret();
	}

	/* What is behind the code of tables: the next packet follows. */
	void make_ends()
	{
		for (size_t i = 0; i < cold.size(); i++)
			cold[i]();
		end_with(malformed, lay.malformed);
		end_with(vlan, lay.vlan);
		end_with(ttl_expired, lay.ttl_expired);
		end_with(metered, lay.metered);
		L(outcome_in_eax);
		mov(byte[batch + number + lay.batch_outcome], al);
		L(next_packet);
	}

	static size_t at_place(uint32_t place) { return offsetof(openflow_row, code) + place * sizeof(void *); }

	/* What the prefix table has of all packets of IPv4: their reads wait for memory together. */
	void fetch_ahead()
	{
		Label loop, other, none;

		if (places != nullptr) { /* another table may be the first one later */
			mov(rdx, reinterpret_cast<size_t>(&tables->fetched));
			mov(rdx, ptr[rdx]);
			test(rdx, rdx);
			jz(none, T_NEAR);
		} else {
			mov(rdx, reinterpret_cast<size_t>(tables->fetched));
		}
		L(loop);
		cmp(byte[parsed + lay.packet_version], 4);
		jne(other, T_NEAR);
		cmp(byte[parsed + lay.packet_kind], lay.kind_malformed);
		je(other, T_NEAR);
		load_frame();
		mov(eax, dword[frame + AT_IPV4_DST]);
		bswap(eax);
		shr(eax, 8);
		prefetcht0(ptr[rdx + rax * 2]);
		L(other);
		next(loop);
		xor_(number.cvt32(), number.cvt32());
		lea(parsed, ptr[batch + lay.batch_packets]);
		L(none);
	}

	void load_frame()
	{
		mov(mbuf, ptr[batch + number * 8 + lay.batch_mbufs]);
		movzx(ecx, word[mbuf + lay.mbuf_data]);
		mov(frame, ptr[mbuf + lay.mbuf_buffer]);
		add(frame, rcx);
	}

	/* Goes to loop with the next packet, if there is one. */
	void next(Label &loop)
	{
		inc(number.cvt32());
		add(parsed, lay.packet_bytes);
		cmp(number.cvt32(), dword[batch + lay.batch_count]);
		jb(loop, T_NEAR);
	}

	/* Table 0 follows: nothing else leads there. */
	void begin_packet()
	{
		load_frame();
		movzx(eax, byte[parsed + lay.packet_kind]);
		cmp(eax, lay.kind_malformed);
		je(malformed, T_NEAR);
		cmp(eax, lay.kind_vlan);
		je(vlan, T_NEAR);
		if ((readers & 1) != 0)
			mov(qword[rsp + STACK_METADATA], 0);
		if (places != nullptr)
			jmp(ptr[row + at_place(places->place_of(0, State()))]);
		else
			todo.emplace_back(0, State());
	}

	void end_with(Label &here, uint32_t outcome)
	{
		L(here);
		finish(outcome);
	}

	void finish(uint32_t outcome)
	{
		mov(byte[batch + number + lay.batch_outcome], outcome);
		jmp(next_packet, T_NEAR);
	}

	/* ---- tables ---- */

	/* Goes on at a table with what is known of the packet, or with nothing if there are too many states already. */
	void go_to(uint32_t table, State state)
	{
		if (!state.set_in_memory && !state.set.constant())
			store_set(state);
		if (!has_room(table, state)) {
			if (!state.set_in_memory)
				store_set(state);
			state.eth_type = unknown;
		}
		if (places != nullptr) {
			jmp(ptr[row + at_place(places->place_of(table, state))]);
			return;
		}
		auto key = key_of(table, state);
		if (labels.count(key) == 0) {
			todo.emplace_back(table, state);
			states[table]++;
		}
		jmp(labels[key], T_NEAR);
	}

	bool has_room(uint32_t table, const State &state)
	{
		if (places != nullptr)
			return places->has_room(table, state);
		return labels.count(key_of(table, state)) != 0 || states[table] < max_states;
	}

	const Rows &rows_of(uint32_t table, const openflow_table &t)
	{
		if (places != nullptr)
			return places->rows_of(table);
		rows.emplace_back(new Rows(tables, t.numbers, t.number_count, t.number_count, readers));
		return *rows.back();
	}

	void make_table(uint32_t table, const State &state)
	{
		const openflow_table &t = places != nullptr ? places->table_of(table) : *tables->tables[table];
		Label miss;

		count(offsetof(openflow_row, lookups) + table * 8);
		if (t.kind == OPENFLOW_LIST) {
			if (make_list(t, state))
				make_miss(table, OPENFLOW_NONE, state);
			return;
		}
		State known = state;
		for (uint32_t i = 0; i < t.guard_count; i++)
			compare(t.guards[i], known, miss);
		if (t.kind == OPENFLOW_EXACT && (places != nullptr || !find_in_window(t, known, miss)))
			find_exact(table, t, known, miss);
		else if (t.kind == OPENFLOW_PREFIXES)
			find_prefix(table, t, known, miss);
		L(miss);
		make_miss(table, t.miss, state);
	}

	void make_miss(uint32_t table, uint32_t instructions, const State &state)
	{
		if (instructions != OPENFLOW_NONE) {
			execute_one(instructions, state);
			return;
		}
		count(offsetof(openflow_row, misses) + table * 8);
		finish(lay.missed);
	}

	/* Whether an entry can fit where eth_type is known. */
	static bool can_fit(const openflow_term *terms, uint32_t n, const State &state)
	{
		for (uint32_t i = 0; i < n; i++)
			if (terms[i].field == OPENFLOW_ETH_TYPE && state.eth_type != unknown &&
			    state.eth_type != terms[i].value)
				return false;
		return true;
	}

	/* Entry after entry. false: one of them fits every packet. */
	bool make_list(const openflow_table &t, const State &state)
	{
		for (uint32_t i = 0; i < t.entry_count; i++) {
			const openflow_entry &e = t.entries[i];
			const openflow_term *terms = t.terms + e.first_term;
			State known = state;
			Label next;
			bool compared = false;
			if (!can_fit(terms, e.term_count, state))
				continue;
			for (uint32_t n = 0; n < e.term_count; n++)
				compared |= compare(terms[n], known, next);
			execute_one(e.instructions, known);
			if (!compared)
				return false;
			L(next);
		}
		return true;
	}

	/* false: the keys differ in too many bits to number rows. */
	bool find_in_window(const openflow_table &t, const State &state, Label &miss)
	{
		const openflow_exact &e = t.exact;
		const Window w = window_of(e);

		if (w.size == 0)
			return false;
		std::vector<uint32_t> by_index(w.size, OPENFLOW_NONE);
		for (size_t at = 0; at <= e.slot_mask; at++) {
			const uint64_t *slot = e.slots + (at << e.shift);
			if (slot[1] != 0)
				by_index[(slot[0] - w.base) >> w.low] = t.numbers[slot[1] - 1];
		}
		rows.emplace_back(new Rows(tables, by_index.data(), w.size, w.size, readers));
		load_index(e.keys[0], w, state);
		cmp(rax, w.size);
		jae(miss, T_NEAR);
		execute_found(*rows.back(), state, miss);
		return true;
	}

	/* rax: below the window's size for its keys alone. */
	void load_index(const openflow_term &key, const Window &w, const State &state)
	{
		const bool none_below = key.mask == (full_masks[key.field] >> w.low) << w.low;

		load_field(key.field, state);
		if (none_below) {
			if (w.low != 0)
				shr(rax, static_cast<int>(w.low));
			subtract_from_rax(w.base >> w.low);
			return;
		}
		mask(key);
		subtract_from_rax(w.base);
		if (w.low != 0)
			ror(rax, static_cast<int>(w.low));
	}

	void subtract_from_rax(uint64_t value)
	{
		if (value == 0)
			return;
		if (value <= INT32_MAX) {
			sub(rax, static_cast<uint32_t>(value));
		} else {
			mov(rcx, value);
			sub(rax, rcx);
		}
	}

	void find_exact(uint32_t table, const openflow_table &t, const State &state, Label &miss)
	{
		const openflow_exact &e = t.exact;
		const Reg64 keys[OPENFLOW_EXACT_WORDS] = {r8, r9, r11};
		const uint32_t stride = 8u << e.shift;
		Label probe, step;

		for (uint32_t k = 0; k < e.key_count; k++) {
			load_field(e.keys[k].field, state);
			mask(e.keys[k]);
			mov(keys[k], rax);
		}
		xor_(eax, eax);
		for (uint32_t k = 0; k < e.key_count; k++)
			crc32(rax, keys[k]);
		and_(eax, e.slot_mask);
		shl(rax, static_cast<int>(e.shift) + 3);
		mov(rdx, reinterpret_cast<size_t>(e.slots));
		L(probe);
		mov(rcx, ptr[rdx + rax + e.key_count * 8]);
		test(rcx, rcx);
		jz(miss, T_NEAR);
		for (uint32_t k = 0; k < e.key_count; k++) {
			cmp(keys[k], ptr[rdx + rax + k * 8]);
			jne(step, T_NEAR);
		}
		if (places != nullptr) { /* an entry may have been deleted */
			cmp(rcx, -1);
			je(step, T_NEAR);
		}
		lea(rax, ptr[rcx - 1]);
		execute_found(rows_of(table, t), state, miss);
		L(step);
		add(eax, stride);
		and_(eax, (e.slot_mask + 1) * stride - 1);
		jmp(probe);
	}

	void find_prefix(uint32_t table, const openflow_table &t, const State &state, Label &miss)
	{
		const openflow_prefixes &p = *t.prefixes;
		Label group, found;

		mov(eax, dword[frame + AT_IPV4_DST]);
		bswap(eax);
		mov(ecx, eax);
		shr(ecx, 8);
		mov(rdx, reinterpret_cast<size_t>(p.first));
		movzx(ecx, word[rdx + rcx * 2]);
		test(ecx, OPENFLOW_PREFIX_GROUP);
		jnz(group, T_NEAR);
		L(found);
		sub(ecx, 1);
		jb(miss, T_NEAR);
		mov(eax, ecx);
		execute_found(rows_of(table, t), state, miss);
		L(group);
		and_(ecx, OPENFLOW_PREFIX_GROUP - 1);
		shl(ecx, 8);
		movzx(eax, al);
		add(ecx, eax);
		mov(rdx, reinterpret_cast<size_t>(p.groups));
		movzx(ecx, word[rdx + rcx * 2]);
		jmp(found, T_NEAR);
	}

	/* ---- entries of one shape ---- */

	/* Executes what number rax of the table leads to. */
	void execute_found(const Rows &found, const State &state, Label &miss)
	{
		if (found.data != nullptr)
			point_to_row(found.data.get(), found.words);
		if (found.has_gaps) {
			cmp(qword[r10], -1);
			je(miss, T_NEAR);
		}
		for (size_t n = 0; n < found.shapes.size(); n++) {
			Label other;
			row_at_hand = found.data != nullptr;
			if (n + 1 < found.shapes.size()) {
				cmp(qword[r10], static_cast<uint32_t>(n));
				jne(other, T_NEAR);
			}
			execute(found.shapes[n].example, state, found.shapes[n].values);
			L(other);
		}
	}

	void execute_one(uint32_t instructions, const State &state)
	{
		const Rows alone(tables, &instructions, 1, 1, readers);

		execute(alone.shapes[0].example, state, alone.shapes[0].values);
	}

	void point_to_row(const uint64_t *rows, size_t words)
	{
		static_assert(no_entry == static_cast<uint64_t>(-1), "as rows are compared");
		imul(rax, rax, static_cast<int>(words * 8));
		mov(r10, reinterpret_cast<size_t>(rows));
		add(r10, rax);
		mov(ptr[rsp + STACK_ROW], r10);
	}

	/* ---- instructions and actions ---- */

	/* values: as Rows have them. */
	void execute(const openflow_instructions &i, State state, const std::vector<Value> &values)
	{
		auto value = values.begin();

		if (i.meter != OPENFLOW_NONE)
			meter(i.meter);
		for (uint32_t a = 0; a < i.apply_count; a++)
			change(i.apply[a].kind, *value++, state);
		if (i.clear) {
			state.set = ActionSet();
			state.set_in_memory = false;
		}
		for (uint32_t kind = 0; kind < OPENFLOW_ACTIONS; kind++)
			if (i.write.present >> kind & 1)
				write(state, kind, *value++);
		if (keeps_metadata(i, readers))
			set_metadata(i.metadata_mask, *value++);
		if (i.next != OPENFLOW_NONE)
			go_to(i.next, state);
		else
			execute_set(i, state, value);
	}

	void write(State &state, uint32_t kind, Value value)
	{
		if (state.set_in_memory) {
			load(rax, value);
			mov(ptr[rsp + set_at(kind)], rax);
			or_(dword[rsp + STACK_SET + offsetof(openflow_action_set, present)], 1u << kind);
		} else {
			state.set.present |= 1u << kind;
			state.set.values[kind] = value;
		}
	}

	static size_t set_at(uint32_t kind) { return STACK_SET + offsetof(openflow_action_set, values) + kind * 8; }

	/* Without a set-queue the queue is 0. */
	void store_set(State &state)
	{
		mov(dword[rsp + STACK_SET + offsetof(openflow_action_set, present)], state.set.present);
		for (uint32_t kind = 0; kind < OPENFLOW_ACTIONS; kind++) {
			if (!state.set.has(kind) && kind != OPENFLOW_QUEUE)
				continue;
			load(rax, state.set.has(kind) ? state.set.values[kind] : Value());
			mov(ptr[rsp + set_at(kind)], rax);
		}
		state.set = ActionSet();
		state.set_in_memory = true;
	}

	/* value: no bits beyond the mask. */
	void set_metadata(uint64_t mask, Value value)
	{
		load(rax, value);
		if (mask != UINT64_MAX) {
			mov(rcx, ~mask);
			and_(rcx, ptr[rsp + STACK_METADATA]);
			or_(rax, rcx);
		}
		mov(ptr[rsp + STACK_METADATA], rax);
	}

	void execute_set(const openflow_instructions &i, const State &state, std::vector<Value>::const_iterator value)
	{
		if (state.set_in_memory) {
			mov(rdi, reinterpret_cast<size_t>(s));
			mov(rsi, row);
			lea(rdx, ptr[rsp + STACK_SET]);
			mov(rcx, frame);
			mov(r8, parsed);
			call_function(reinterpret_cast<size_t>(lay.execute));
			jmp(outcome_in_eax, T_NEAR);
			return;
		}
		change_all(state.set, state);
		if (!state.set.has(OPENFLOW_GROUP)) {
			output(state.set, Value());
			return;
		}
		ActionSet bucket;
		Value group = state.set.values[OPENFLOW_GROUP];
		if (Rows::ends_in_group(i)) {
			const openflow_action_set &actions = s->groups[i.write.values[OPENFLOW_GROUP]].actions;
			bucket.present = actions.present;
			for (uint32_t kind = 0; kind < OPENFLOW_ACTIONS; kind++)
				if (bucket.has(kind))
					bucket.values[kind] = *value++;
		} else { /* a table before wrote it */
			const openflow_action_set &actions = s->groups[group.number].actions;
			bucket.present = actions.present;
			for (uint32_t kind = 0; kind < OPENFLOW_ACTIONS; kind++)
				bucket.values[kind] = {true, actions.values[kind]};
		}
		mov(rcx, ptr[row + offsetof(openflow_row, groups)]);
		if (group.constant) {
			inc(qword[rcx + group.number * 8]);
		} else {
			load(rax, group);
			inc(qword[rcx + rax * 8]);
		}
		change_all(bucket, state);
		output(bucket, state.set.has(OPENFLOW_QUEUE) ? state.set.values[OPENFLOW_QUEUE] : Value());
	}

	void change_all(const ActionSet &set, const State &state)
	{
		bool both = set.has(OPENFLOW_SET_ETH_DST) && set.has(OPENFLOW_SET_ETH_SRC);

		for (uint32_t kind = 0; kind < OPENFLOW_QUEUE; kind++) {
			if (!set.has(kind) || (both && kind == OPENFLOW_SET_ETH_SRC))
				continue;
			if (both && kind == OPENFLOW_SET_ETH_DST)
				set_both_macs(set.values[OPENFLOW_SET_ETH_DST], set.values[OPENFLOW_SET_ETH_SRC]);
			else
				change(kind, set.values[kind], state);
		}
	}

	void output(const ActionSet &set, Value queue)
	{
		if (!set.has(OPENFLOW_OUTPUT)) {
			finish(lay.dropped);
			return;
		}
		if (set.has(OPENFLOW_QUEUE))
			queue = set.values[OPENFLOW_QUEUE];
		const Value &port = set.values[OPENFLOW_OUTPUT];
		const size_t at = offsetof(openflow_row, outputs);
		if (port.constant && queue.constant) {
			count(at + (port.number * OPENFLOW_QUEUES + queue.number) * 8);
		} else if (queue.constant) {
			load(rax, port);
			shl(rax, __builtin_ctz(OPENFLOW_QUEUES * 8));
			inc(qword[row + rax + (at + queue.number * 8)]);
		} else {
			load(rax, port);
			load(rcx, queue);
			lea(rax, ptr[rcx + rax * OPENFLOW_QUEUES]);
			inc(qword[row + rax * 8 + at]);
		}
		finish(lay.sent);
	}

	void change(uint32_t kind, Value value, const State &state)
	{
		if (kind == OPENFLOW_DEC_TTL && state.eth_type == ipv4) {
			decrement_ttl();
		} else if (kind == OPENFLOW_SET_ETH_DST || kind == OPENFLOW_SET_ETH_SRC) {
			set_mac(kind == OPENFLOW_SET_ETH_DST ? 0 : AT_SOURCE_MAC, value);
		} else {
			mov(rdi, frame);
			mov(rsi, parsed);
			mov(edx, kind);
			load(rcx, value);
			call_function(reinterpret_cast<size_t>(lay.change));
			test(eax, eax);
			jnz(outcome_in_eax, T_NEAR);
		}
	}

	/* As decrement_ttl() of l3fwd/l3fwd_rewrite.h. */
	void decrement_ttl()
	{
		cmp(byte[frame + AT_TTL], 1);
		jbe(ttl_expired, T_NEAR);
		mov(eax, dword[frame + AT_TTL]);
		xor_(ecx, ecx);
		cmp(eax, 0xfffe0000u);
		setae(cl);
		shl(ecx, 16);
		lea(eax, ptr[rax + rcx + 0xffff]);
		mov(dword[frame + AT_TTL], eax);
	}

	void set_mac(uint32_t at, Value value)
	{
		load_mac(rax, value);
		mov(dword[frame + at], eax);
		shr(rax, 32);
		mov(word[frame + at + 4], ax);
	}

	void set_both_macs(Value destination, Value source)
	{
		if (source.constant) {
			const uint64_t bytes = mac_bytes(source.number);
			load_mac(rax, destination, bytes << 48);
			mov(ptr[frame], rax);
			mov(dword[frame + 8], static_cast<uint32_t>(bytes >> 16));
			return;
		}
		load_mac(rax, destination);
		load_mac(rcx, source);
		mov(rdx, rcx);
		shl(rdx, 48);
		or_(rax, rdx);
		mov(ptr[frame], rax);
		shr(rcx, 16);
		mov(dword[frame + 8], ecx);
	}

	/* An address's bytes as they lie in a frame. */
	static uint64_t mac_bytes(uint64_t address) { return __builtin_bswap64(address << 16); }

	/* behind: bytes that follow the address's. */
	void load_mac(const Reg64 &to, Value value, uint64_t behind = 0)
	{
		if (value.constant) {
			mov(to, mac_bytes(value.number) | behind);
			return;
		}
		load(to, value);
		shl(to, 16);
		bswap(to);
		if (behind != 0) {
			mov(rdx, behind);
			or_(to, rdx);
		}
	}

	void load(const Reg64 &to, Value value)
	{
		if (value.constant) {
			mov(to, value.number);
			return;
		}
		if (!row_at_hand)
			mov(r10, ptr[rsp + STACK_ROW]);
		row_at_hand = true;
		mov(to, ptr[r10 + value.number * 8]);
	}

	void meter(uint32_t meter_number)
	{
		const openflow_limit &limit = tables->limits[meter_number];
		const size_t at = meter_number * sizeof(openflow_bucket);
		auto fill = std::make_shared<Label>(), filled = std::make_shared<Label>();
		auto beyond = std::make_shared<Label>(), within = std::make_shared<Label>();

		mov(r11, ptr[row + offsetof(openflow_row, meters)]);
		mov(rax, ptr[rsp + STACK_NOW]);
		cmp(rax, ptr[r11 + at + offsetof(openflow_bucket, filled_ns)]);
		jne(*fill, T_NEAR);
		L(*filled);
		if (limit.of_byte != 0) {
			movzx(ecx, word[mbuf + lay.mbuf_bytes]);
			imul(rcx, rcx, static_cast<int>(limit.of_byte));
		} else {
			mov(ecx, limit.of_packet);
		}
		mov(rax, ptr[r11 + at + offsetof(openflow_bucket, tokens)]);
		sub(rax, rcx);
		jb(*beyond, T_NEAR);
		mov(ptr[r11 + at + offsetof(openflow_bucket, tokens)], rax);
		inc(qword[r11 + at + offsetof(openflow_bucket, within)]);
		L(*within);
		row_at_hand = false;
		cold.push_back([=, this] {
			L(*fill);
			mov(rdi, reinterpret_cast<size_t>(&tables->limits[meter_number]));
			lea(rsi, ptr[r11 + at]);
			mov(rdx, rax);
			call_function(reinterpret_cast<size_t>(lay.fill));
			mov(r11, ptr[row + offsetof(openflow_row, meters)]);
			jmp(*filled, T_NEAR);
			L(*beyond);
			inc(qword[r11 + at + offsetof(openflow_bucket, beyond)]);
			if (tables->limits[meter_number].remark == 0) {
				jmp(metered, T_NEAR);
				return;
			}
			mov(rdi, frame);
			mov(rsi, parsed);
			mov(edx, tables->limits[meter_number].remark);
			call_function(reinterpret_cast<size_t>(lay.remark));
			jmp(*within, T_NEAR);
		});
	}

	void call_function(size_t address)
	{
		mov(rax, address);
		call(rax);
		row_at_hand = false;
	}

	void count(size_t at) { inc(qword[row + at]); }

	/* ---- matches ---- */

	/* Goes to fail if the field is another. Returns false if nothing had to be compared; known learns from it. */
	bool compare(const openflow_term &term, State &known, Label &fail)
	{
		if (term.field == OPENFLOW_ETH_TYPE) {
			if (known.eth_type == term.value)
				return false;
			/* extended by its sign, as the instruction does */
			const auto type = static_cast<int16_t>(__builtin_bswap16(static_cast<uint16_t>(term.value)));
			cmp(word[frame + AT_TYPE], static_cast<uint32_t>(type));
			jne(fail, T_NEAR);
			known.eth_type = static_cast<uint32_t>(term.value);
			return true;
		}
		const bool whole = term.mask == full_masks[term.field];
		if (known.eth_type == ipv4 && (term.field == OPENFLOW_IPV4_SRC || term.field == OPENFLOW_IPV4_DST)) {
			compare_ipv4(term, term.field == OPENFLOW_IPV4_SRC ? AT_IPV4_SRC : AT_IPV4_DST);
		} else if (term.field == OPENFLOW_IP_PROTO && whole) {
			cmp(byte[parsed + lay.packet_protocol], static_cast<uint32_t>(term.value));
		} else if (term.field == OPENFLOW_IP_DSCP && known.eth_type == ipv4 && whole && term.value == 0) {
			test(byte[frame + AT_IP + 1], 0xfc);
		} else if ((term.field == OPENFLOW_L4_SRC || term.field == OPENFLOW_L4_DST) && whole) {
			compare_port(term, term.field == OPENFLOW_L4_SRC ? 0 : 2, fail);
		} else {
			load_field(term.field, known);
			mask(term);
			compare_rax(term.value);
		}
		jne(fail, T_NEAR);
		return true;
	}

	void compare_ipv4(const openflow_term &term, uint32_t at)
	{
		const uint32_t value = __builtin_bswap32(static_cast<uint32_t>(term.value));

		if (term.mask == UINT32_MAX) {
			cmp(dword[frame + at], value);
			return;
		}
		if (term.mask == 0xff000000) {
			cmp(byte[frame + at], value);
			return;
		}
		mov(eax, dword[frame + at]);
		and_(eax, __builtin_bswap32(static_cast<uint32_t>(term.mask)));
		cmp(eax, value);
	}

	/* No port fails: its value is none of 16 bits. */
	void compare_port(const openflow_term &term, uint32_t at, Label &fail)
	{
		cmp(byte[parsed + lay.packet_kind], lay.kind_l4);
		jne(fail, T_NEAR);
		movzx(eax, word[parsed + lay.packet_l4]);
		movzx(eax, word[frame + rax + at]);
		cmp(eax, __builtin_bswap16(static_cast<uint16_t>(term.value)));
	}

	void compare_rax(uint64_t value)
	{
		if (value <= INT32_MAX) {
			cmp(rax, static_cast<uint32_t>(value));
		} else {
			mov(rcx, value);
			cmp(rax, rcx);
		}
	}

	/* Leaves the term's bits of rax. */
	void mask(const openflow_term &term)
	{
		if (term.mask == full_masks[term.field])
			return;
		mov(rcx, term.mask);
		and_(rax, rcx);
	}

	/* rax: the packet's field, as struct openflow_key has it. */
	void load_field(uint32_t field, const State &known)
	{
		switch (field) {
		case OPENFLOW_IN_PORT: /* 65535, no port, becomes 1 as 0 does */
			movzx(eax, word[mbuf + lay.mbuf_port]);
			inc(ax);
			movzx(eax, ax);
			cmp(eax, 1);
			adc(eax, 0);
			break;
		case OPENFLOW_METADATA:
			mov(rax, ptr[rsp + STACK_METADATA]);
			break;
		case OPENFLOW_ETH_DST:
		case OPENFLOW_ETH_SRC:
			mov(rax, ptr[frame + (field == OPENFLOW_ETH_DST ? 0 : AT_SOURCE_MAC)]);
			bswap(rax);
			shr(rax, 16);
			break;
		case OPENFLOW_ETH_TYPE:
			movzx(eax, word[frame + AT_TYPE]);
			rol(ax, 8);
			break;
		case OPENFLOW_IP_PROTO:
			movzx(eax, byte[parsed + lay.packet_protocol]);
			break;
		case OPENFLOW_IP_DSCP:
			load_dscp(known);
			break;
		case OPENFLOW_IPV4_SRC:
			load_ip(4, known, [this] { mov(eax, dword[frame + AT_IPV4_SRC]), bswap(eax); });
			break;
		case OPENFLOW_IPV4_DST:
			load_ip(4, known, [this] { mov(eax, dword[frame + AT_IPV4_DST]), bswap(eax); });
			break;
		case OPENFLOW_IPV6_SRC:
		case OPENFLOW_IPV6_SRC_LOW:
		case OPENFLOW_IPV6_DST:
		case OPENFLOW_IPV6_DST_LOW:
			load_ip(6, known, [this, field] {
				mov(rax, ptr[frame + AT_IPV6_SRC + (field - OPENFLOW_IPV6_SRC) * 8]);
				bswap(rax);
			});
			break;
		default:
			load_port(field == OPENFLOW_L4_SRC ? 0 : 2);
		}
	}

	static_assert(AT_IPV6_DST == AT_IPV6_SRC + 16, "the four words of addresses follow each other");

	/* 0 where the packet is not of this version. */
	void load_ip(uint32_t version, const State &known, const std::function<void()> &load_it)
	{
		Label other;

		if (known.eth_type == (version == 4 ? ipv4 : ipv6)) {
			load_it();
			return;
		}
		xor_(eax, eax);
		cmp(byte[parsed + lay.packet_version], version);
		jne(other, T_NEAR);
		load_it();
		L(other);
	}

	void load_dscp(const State &known)
	{
		Label end;

		if (known.eth_type == ipv4) {
			movzx(eax, byte[frame + AT_IP + 1]);
			shr(eax, 2);
			return;
		}
		load_ip(4, known, [this] { movzx(eax, byte[frame + AT_IP + 1]), shr(eax, 2); });
		cmp(byte[parsed + lay.packet_version], 6);
		jne(end, T_NEAR);
		movzx(eax, word[frame + AT_IP]);
		rol(ax, 8);
		shr(eax, 6);
		and_(eax, 63);
		L(end);
	}

	void load_port(uint32_t at)
	{
		Label none;

		mov(eax, OPENFLOW_NO_L4);
		cmp(byte[parsed + lay.packet_kind], lay.kind_l4);
		jne(none, T_NEAR);
		movzx(eax, word[parsed + lay.packet_l4]);
		movzx(eax, word[frame + rax + at]);
		rol(ax, 8);
		L(none);
	}
};

/* Code of tables apart from each other, so that one can be made anew. Codes of a table for different states share its
 * rows. What is made waits until use() puts it into the rows of instances. */
class Apart final : public Places {
public:
	explicit Apart(openflow_tables *t) : tables(t)
	{
		for (uint32_t n = 0; n < OPENFLOW_TABLES; n++)
			shown[n] = t->tables[n];
		main.reset(new Code(t, *this));
		make_missing();
		use();
		tidy();
	}

	openflow_run *run() const { return main->getCode<openflow_run *>(); }

	void remake(uint32_t number, const openflow_table *as)
	{
		remade = number;
		shown[number] = as;
		for (uint32_t n = first_place; n < places.size(); n++)
			if (places[n].table == number)
				make_at(n);
		make_missing();
	}

	bool takes(uint32_t table, uint32_t number)
	{
		return rows[table] != nullptr && rows[table]->takes(number, tables->tables[table]->numbers[number]);
	}

	/* New places first: the others lead there. */
	void use()
	{
		put(0, main->next_packet_at());
		for (bool is_new : {true, false})
			for (uint32_t n = first_place; n < places.size(); n++) {
				Place &p = places[n];
				if (p.coming == nullptr || (p.code == nullptr) != is_new)
					continue;
				put(n, p.coming->getCode<const void *>());
				old_code.push_back(std::move(p.code));
				p.code = std::move(p.coming);
			}
		for (uint32_t n = 0; n < OPENFLOW_TABLES; n++)
			if (coming[n] != nullptr) {
				old_rows.push_back(std::move(rows[n]));
				rows[n] = std::move(coming[n]);
			}
		used = places.size();
		remade = unknown;
	}

	void tidy()
	{
		old_code.clear();
		old_rows.clear();
		while (places.size() > used)
			forget_last();
		for (Place &p : places)
			p.coming.reset();
		for (uint32_t n = 0; n < OPENFLOW_TABLES; n++) {
			coming[n].reset();
			shown[n] = tables->tables[n];
		}
		remade = unknown;
	}

	uint32_t place_of(uint32_t table, const State &state) override
	{
		auto at = by_key.find(key_of(table, state));

		if (at != by_key.end())
			return at->second;
		places.push_back({table, state, nullptr, nullptr});
		states[table]++;
		by_key.emplace(key_of(table, state), places.size() - 1);
		return static_cast<uint32_t>(places.size() - 1);
	}

	bool has_room(uint32_t table, const State &state) override
	{
		return by_key.count(key_of(table, state)) != 0 || states[table] < max_states;
	}

	const Rows &rows_of(uint32_t number) override
	{
		const openflow_table &t = *shown[number];
		std::unique_ptr<Rows> &made = rows[number] != nullptr && number != remade ? rows[number] : coming[number];

		if (made == nullptr)
			made.reset(new Rows(tables, t.numbers, t.number_count, 2 * t.number_count + spare_rows, every_table));
		return *made;
	}

	const openflow_table &table_of(uint32_t table) override { return *shown[table]; }

private:
	struct Place {
		uint32_t table;
		State state;
		std::unique_ptr<Code> code, coming;
	};

	static constexpr uint32_t first_place = 1; /* 0: the next packet */
	static_assert(OPENFLOW_CODE_PLACES >= first_place + OPENFLOW_TABLES * (max_states + 1), "a place for each state");

	openflow_tables *tables;
	std::unique_ptr<Code> main;
	std::vector<Place> places = std::vector<Place>(first_place);
	size_t used = first_place; /* places that packets can come to */
	std::map<std::vector<uint64_t>, uint32_t> by_key;
	uint32_t states[OPENFLOW_TABLES] = {};
	const openflow_table *shown[OPENFLOW_TABLES]; /* of what code is made */
	std::unique_ptr<Rows> rows[OPENFLOW_TABLES], coming[OPENFLOW_TABLES];
	uint32_t remade = unknown;
	std::vector<std::unique_ptr<Code>> old_code;
	std::vector<std::unique_ptr<Rows>> old_rows;

	/* Code leads to places that have none yet. */
	void make_missing()
	{
		for (uint32_t n = first_place; n < places.size(); n++)
			if (places[n].code == nullptr && places[n].coming == nullptr)
				make_at(n);
	}

	/* Places may be added meanwhile. */
	void make_at(uint32_t n)
	{
		const State state = places[n].state;
		std::unique_ptr<Code> made(new Code(tables, *this, places[n].table, state));

		places[n].coming = std::move(made);
	}

	void put(uint32_t place, const void *code)
	{
		for (uint32_t i = 0; i < tables->instances; i++)
			__atomic_store_n(&tables->rows[i].code[place], code, __ATOMIC_RELEASE);
	}

	void forget_last()
	{
		by_key.erase(key_of(places.back().table, places.back().state));
		states[places.back().table]--;
		places.pop_back();
	}
};

} // namespace

struct openflow_code {
	std::unique_ptr<Code> whole;
	std::unique_ptr<Apart> apart;

	explicit openflow_code(openflow_tables *tables)
	{
		if (tables->settings->changeable)
			apart.reset(new Apart(tables));
		else
			whole.reset(new Code(tables));
	}
};

bool openflow_code_make(openflow_tables *tables)
{
	try {
		tables->code = new openflow_code(tables);
		tables->run = tables->code->apart != nullptr ? tables->code->apart->run()
							     : tables->code->whole->getCode<openflow_run *>();
		return true;
	} catch (const std::exception &error) {
		std::fprintf(stderr, "openflow: no code for these tables: %s\n", error.what());
		return false;
	}
}

bool openflow_code_remake(openflow_tables *tables, uint32_t number, const openflow_table *as)
{
	try {
		tables->code->apart->remake(number, as);
		return true;
	} catch (const std::exception &error) {
		std::fprintf(stderr, "openflow: no code for table %u: %s\n", number, error.what());
		tables->code->apart->tidy();
		return false;
	}
}

bool openflow_code_takes(openflow_tables *tables, uint32_t number, uint32_t entry)
{
	try {
		return tables->code->apart->takes(number, entry);
	} catch (const std::exception &) {
		return false; /* no memory: nor has the remake that follows */
	}
}

void openflow_code_use(openflow_tables *tables)
{
	tables->code->apart->use();
}

void openflow_code_tidy(openflow_tables *tables)
{
	tables->code->apart->tidy();
}

void openflow_code_destroy(openflow_code *code)
{
	delete code;
}
