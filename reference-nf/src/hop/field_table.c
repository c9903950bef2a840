/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_mbuf_core.h>

#include "hop/field_table.h"

/* Fields that both ends of a hop know, with their places in DPDK's packet buffer. */
static const struct {
	const char *name;
	uint8_t least_bytes; /* that hold every value */
	uint8_t mbuf_bytes, mbuf_offset;
} known[] = {
	{"len", 2, sizeof(((struct rte_mbuf *)0)->pkt_len), offsetof(struct rte_mbuf, pkt_len)},
	{"port", 2, sizeof(((struct rte_mbuf *)0)->port), offsetof(struct rte_mbuf, port)},
	{"hash", 4, sizeof(((struct rte_mbuf *)0)->hash.rss), offsetof(struct rte_mbuf, hash.rss)},
	{"packet_type", 4, sizeof(((struct rte_mbuf *)0)->packet_type), offsetof(struct rte_mbuf, packet_type)},
	{"ol_flags", 8, sizeof(((struct rte_mbuf *)0)->ol_flags), offsetof(struct rte_mbuf, ol_flags)},
	{"vlan_tci", 2, sizeof(((struct rte_mbuf *)0)->vlan_tci), offsetof(struct rte_mbuf, vlan_tci)},
	{"tx_offload", 8, sizeof(((struct rte_mbuf *)0)->tx_offload), offsetof(struct rte_mbuf, tx_offload)},
};

struct parser {
	struct field_table *table;
	field_mistake mistake;
	void *arg;
	uint32_t line, bytes, mistakes;
};

__attribute__((format(printf, 2, 3))) static void refuse(struct parser *p, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	p->mistake(p->arg, p->line, format, values);
	va_end(values);
	p->mistakes++;
}

static int find_known(const char *name)
{
	for (uint32_t i = 0; i < RTE_DIM(known); i++)
		if (strcmp(known[i].name, name) == 0)
			return (int)i;
	return -1;
}

static const struct field *find(const struct field_table *t, const char *name)
{
	for (uint32_t i = 0; i < t->count; i++)
		if (strcmp(t->fields[i].name, name) == 0)
			return &t->fields[i];
	return NULL;
}

static bool is_name_letter(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (!first && (c == '_' || (c >= '0' && c <= '9')));
}

/* The name at the beginning of a line; 0: there is none. */
static size_t name_length(const char *text, size_t length)
{
	size_t n = 0;

	while (n < length && is_name_letter(text[n], n == 0))
		n++;
	return n;
}

/* 0: not 1, 2, 4 or 8. */
static uint8_t parse_bytes(const char *text, size_t length)
{
	bool sound = length == 1 && (text[0] == '1' || text[0] == '2' || text[0] == '4' || text[0] == '8');

	return sound ? (uint8_t)(text[0] - '0') : 0;
}

static void add(struct parser *p, const struct field *field)
{
	struct field_table *t = p->table;
	const struct field *same = find(t, field->name);
	int k = find_known(field->name);

	if (same != NULL)
		refuse(p, "field %s is already in line %u", field->name, same->line);
	else if (k >= 0 && field->bytes < known[k].least_bytes)
		refuse(p, "field %s: expected at least %u bytes, which hold each of its values", field->name,
		       known[k].least_bytes);
	else if (t->count == FIELDS_MAX)
		refuse(p, "more than %u fields", FIELDS_MAX);
	else if (p->bytes + field->bytes > FIELDS_MAX_BYTES)
		refuse(p, "field %s: more than %u bytes in all, a cache line", field->name, FIELDS_MAX_BYTES);
	else {
		t->fields[t->count++] = *field;
		p->bytes += field->bytes;
	}
}

static void trim(const char **text, size_t *length)
{
	while (*length != 0 && ((*text)[0] == ' ' || (*text)[0] == '\t')) {
		(*text)++;
		(*length)--;
	}
	while (*length != 0 && strchr(" \t\r", (*text)[*length - 1]) != NULL && (*text)[*length - 1] != '\0')
		(*length)--;
}

static void parse_line(struct parser *p, const char *text, size_t length)
{
	struct field field = {.line = (uint16_t)RTE_MIN(p->line, (uint32_t)UINT16_MAX)};
	const char *note = memchr(text, '#', length);

	if (note != NULL)
		length = (size_t)(note - text);
	trim(&text, &length);
	if (length == 0)
		return;
	size_t name = name_length(text, length);
	const char *rest = text + name;
	size_t left = length - name;
	trim(&rest, &left);
	if (name == 0 || left == 0 || rest[0] != ',') {
		refuse(p, "expected name,bytes like port,2; a name has small letters, digits and _");
		return;
	}
	if (name >= FIELD_NAME_BYTES) {
		refuse(p, "the name of a field has at most %u letters", FIELD_NAME_BYTES - 1);
		return;
	}
	memcpy(field.name, text, name);
	rest++;
	left--;
	trim(&rest, &left);
	field.bytes = parse_bytes(rest, left);
	if (field.bytes == 0)
		refuse(p, "field %s: expected 1, 2, 4 or 8 bytes", field.name);
	else
		add(p, &field);
}

/* The widest first: each is aligned then, and nothing between them is lost. */
static void place(struct field_table *t)
{
	uint32_t at = 0;

	for (uint32_t bytes = 8; bytes != 0; bytes /= 2)
		for (uint32_t i = 0; i < t->count; i++)
			if (t->fields[i].bytes == bytes) {
				t->fields[i].offset = (uint8_t)at;
				at += bytes;
			}
	t->stride = at == 0 ? 0 : rte_align32pow2(at);
}

bool field_table_parse(struct field_table *t, const char *text, size_t bytes, field_mistake mistake, void *arg)
{
	struct parser p = {.table = t, .mistake = mistake, .arg = arg};
	const char *end = text + bytes;

	memset(t, 0, sizeof(*t));
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline == NULL ? end : newline;
		p.line++;
		parse_line(&p, text, (size_t)(stop - text));
		text = stop + 1;
	}
	if (p.mistakes != 0)
		memset(t, 0, sizeof(*t));
	place(t);
	return p.mistakes == 0;
}

const struct field *field_table_place_in_mbuf(struct field_table *t)
{
	uint32_t at = RTE_ALIGN_CEIL((uint32_t)offsetof(struct rte_mbuf, dynfield1), 8u);

	for (uint32_t bytes = 8; bytes != 0; bytes /= 2)
		for (uint32_t i = 0; i < t->count; i++) {
			struct field *f = &t->fields[i];
			int k = find_known(f->name);
			if (f->bytes != bytes)
				continue;
			if (k >= 0 && f->bytes <= known[k].mbuf_bytes) {
				f->offset = known[k].mbuf_offset;
				continue;
			}
			if (at + bytes > sizeof(struct rte_mbuf))
				return f;
			f->offset = (uint8_t)at;
			at += bytes;
		}
	t->stride = sizeof(struct rte_mbuf);
	return NULL;
}

bool field_table_is_sound(const struct field_table *t, uint32_t record_bytes)
{
	if (t->count > FIELDS_MAX || t->stride > record_bytes)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct field *f = &t->fields[i];
		if (memchr(f->name, '\0', sizeof(f->name)) == NULL || !rte_is_power_of_2(f->bytes) || f->bytes > 8 ||
		    f->offset % f->bytes != 0 || (uint32_t)f->offset + f->bytes > t->stride)
			return false;
	}
	return true;
}

struct field_place field_table_find(const struct field_table *t, const char *name)
{
	const struct field *f = find(t, name);

	return f == NULL ? (struct field_place){0, 0} : (struct field_place){f->offset, f->bytes};
}
