/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Metadata of a packet, composed from a field definition file: lines of `name,bytes`. The file says which fields there
 * are; where each lies in the record is decided here, once, and stored with the packets. A program that reads a field
 * asks for it by name and gets its place, so another file needs no other program.
 */
#ifndef FIELD_TABLE_H
#define FIELD_TABLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FIELDS_MAX 16u
#define FIELDS_MAX_BYTES 64u /* of a record: one cache line */
#define FIELD_NAME_BYTES 32u

struct field {
	char name[FIELD_NAME_BYTES];
	uint8_t bytes;	/* 1, 2, 4 or 8 */
	uint8_t offset; /* in the record, a multiple of bytes */
	uint16_t line;	/* in the file */
};

struct field_table {
	struct field fields[FIELDS_MAX]; /* in the file's order */
	uint32_t count;
	uint32_t stride; /* from a record to the next: a power of two, so that no record crosses a cache line; 0: no field */
};

/* What is known of a field's place. bytes 0: there is no such field; it reads as 0 and nothing is written. */
struct field_place {
	uint8_t offset, bytes;
};

/* Reports a mistake of a file. */
typedef void (*field_mistake)(void *arg, uint32_t line, const char *format, va_list values);

/* Fills the table from a file's text, and gives each field its place. false: every mistake was reported; the table
 * has no field. */
bool field_table_parse(struct field_table *table, const char *text, size_t bytes, field_mistake mistake, void *arg);

/* Gives each field the place that DPDK's packet buffer has for it; fields of other names share its dynamic fields.
 * Returns the first field that has no place, or NULL. */
const struct field *field_table_place_in_mbuf(struct field_table *table);

/* Whether a table that another process wrote can be used: names end, places lie inside a record of that many bytes. */
bool field_table_is_sound(const struct field_table *table, uint32_t record_bytes);

struct field_place field_table_find(const struct field_table *table, const char *name);

static inline uint64_t field_read(const uint8_t *record, struct field_place place)
{
	const uint8_t *at = record + place.offset;
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (place.bytes) {
	case 1:
		return *at;
	case 2:
		memcpy(&two, at, sizeof(two));
		return two;
	case 4:
		memcpy(&four, at, sizeof(four));
		return four;
	case 8:
		memcpy(&eight, at, sizeof(eight));
		return eight;
	default:
		return 0;
	}
}

/* The value's lowest bytes. */
static inline void field_write(uint8_t *record, struct field_place place, uint64_t value)
{
	uint8_t *at = record + place.offset;

	switch (place.bytes) {
	case 1:
		*at = (uint8_t)value;
		break;
	case 2:
		memcpy(at, &(uint16_t){(uint16_t)value}, 2);
		break;
	case 4:
		memcpy(at, &(uint32_t){(uint32_t)value}, 4);
		break;
	case 8:
		memcpy(at, &value, 8);
		break;
	default:
		break;
	}
}

#endif
