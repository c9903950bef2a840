/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Entries of one shape share code; what differs among them is in rows. */
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "openflow/generated_known.hpp"

namespace openflow_generated {

/* Keys of a hash table that differ in adjacent bits alone: base + index << low. */
struct Window {
	uint64_t base = 0;
	uint32_t low = 0, size = 0; /* size 0: they differ in more */
};

inline Window window_of(const openflow_exact &e)
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

} // namespace openflow_generated
