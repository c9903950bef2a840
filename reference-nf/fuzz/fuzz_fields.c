/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Input: a field definition file. A file is either refused with a mistake and leaves no field, or its fields lie side by
 * side in a record: what is written to one is read from it, and no other changes.
 */
#include "check.h"
#include "hop/field_table.h"

static uint32_t mistakes;

static void count(void *arg, uint32_t line, const char *format, va_list values)
{
	char text[256];

	(void)arg;
	CHECK(line != 0);
	CHECK(vsnprintf(text, sizeof(text), format, values) > 0);
	mistakes++;
}

static uint64_t lowest(const struct field *f, uint64_t value)
{
	return f->bytes == 8 ? value : value & ((UINT64_C(1) << f->bytes * 8) - 1);
}

static void check_places(const struct field_table *t, uint32_t bytes)
{
	uint8_t record[128] = {0};

	CHECK(field_table_is_sound(t, bytes));
	for (uint32_t i = 0; i < t->count; i++) {
		const struct field *f = &t->fields[i];
		struct field_place place = field_table_find(t, f->name);
		CHECK(place.offset == f->offset && place.bytes == f->bytes);
		field_write(record, place, UINT64_C(0x9e3779b97f4a7c15) * (i + 1));
	}
	for (uint32_t i = 0; i < t->count; i++)
		CHECK_EQUAL(field_read(record, field_table_find(t, t->fields[i].name)),
			    lowest(&t->fields[i], UINT64_C(0x9e3779b97f4a7c15) * (i + 1)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct field_table table;

	mistakes = 0;
	bool good = field_table_parse(&table, (const char *)data, size, count, NULL);
	CHECK_EQUAL(good, mistakes == 0);
	CHECK(good || (table.count == 0 && table.stride == 0));
	check_places(&table, FIELDS_MAX_BYTES);
	if (field_table_place_in_mbuf(&table) == NULL)
		check_places(&table, 128);
	return 0;
}
