/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generated code: one function that takes a batch through the tables as they are. A template for each match, action and
 * kind of table; what the tables hold is folded into the instructions as constants, tables follow each other by jumps.
 * What is known of a packet at a table (its eth_type, the action set written so far) is known when the code is made:
 * the table's code is made once for each such state. Where entries of a table differ in constants alone, they share
 * code and the constants are read from the entry's row. Keys that differ in a few adjacent bits number the rows.
 */
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

#include "openflow/generated_tables.hpp"
#include "openflow/openflow_code.h"
#include "openflow/openflow_table.h"

namespace {

using namespace openflow_generated;

/* Code of tables apart from each other, so that one can be made again. Codes of a table for different states share its
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
