/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Code of tables: of all together, or of each apart. */
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "openflow/generated_actions.hpp"
#include "openflow/generated_rows.hpp"

namespace openflow_generated {

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

class Code : public ActionCode {
public:
	/* All tables in one. */
	explicit Code(const openflow_tables *t) :
		ActionCode(t, first_bytes, Xbyak::AutoGrow), s(t->settings), readers(metadata_readers(t))
	{
		make();
		ready(PROTECT_RE); /* written until here, executed from here on */
	}

	/* What goes through a batch, without tables. */
	Code(const openflow_tables *t, Places &all) :
		ActionCode(t, first_bytes_apart, Xbyak::AutoGrow), s(t->settings), readers(every_table), places(&all)
	{
		make();
		ready(PROTECT_RE);
	}

	/* One table, for packets of which this is known. */
	Code(const openflow_tables *t, Places &all, uint32_t table, const State &state) :
		ActionCode(t, first_bytes_apart, Xbyak::AutoGrow), s(t->settings), readers(every_table), places(&all)
	{
		make_table(table, state);
		make_ends();
		jmp(ptr[row + at_place(0)]);
		ready(PROTECT_RE);
	}

	/* Of the first alone. */
	const void *next_packet_at() const { return next_packet.getAddress(); }

private:
	const openflow_settings *s;
	uint32_t readers; /* tables from which on metadata is read */
	Places *places = nullptr; /* each table apart, or none */
	std::map<std::vector<uint64_t>, Label> labels;
	std::vector<std::pair<uint32_t, State>> todo;
	std::map<uint32_t, size_t> states;
	std::vector<std::unique_ptr<Rows>> rows; /* of tables that are not apart */
	Label malformed, vlan;

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
};

} // namespace openflow_generated
