/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "acl/acl_table.h"

/* Offsets in bytes of the fields that rules compare. rte_acl needs a field of one byte first, then whole words of 32
 * bits: an IPv4 address is one word, an IPv6 address four, both ports together one. */
struct layout {
	uint8_t version, words, protocol, source, destination, ports;
};
static const struct layout layouts[] = {{4, 1, 9, 12, 16, 20}, {6, 4, 6, 8, 24, 40}};

#define FIELDS_MAX (1 + 2 * 4 + 2)
RTE_ACL_RULE_DEF(acl_fields, FIELDS_MAX);

static bool is_of(const struct acl_rule *r, const struct layout *l)
{
	return r->version == 0 || r->version == l->version;
}

static uint32_t field_count(const struct layout *l)
{
	return 1 + 2 * (uint32_t)l->words + 2;
}

static void define_fields(const struct layout *l, struct rte_acl_config *c)
{
	uint32_t n = 0, input = 0, ports;

	c->defs[n++] = (struct rte_acl_field_def){RTE_ACL_FIELD_TYPE_BITMASK, 1, 0, 0, l->protocol};
	for (uint32_t word = 0; word < 2u * l->words; word++, n++)
		c->defs[n] = (struct rte_acl_field_def){
			.type = RTE_ACL_FIELD_TYPE_MASK,
			.size = 4,
			.field_index = (uint8_t)n,
			.input_index = (uint8_t)++input,
			.offset = (word < l->words ? l->source : l->destination) + word % l->words * 4,
		};
	ports = input + 1;
	for (uint32_t end = 0; end < 2; end++, n++)
		c->defs[n] = (struct rte_acl_field_def){
			.type = RTE_ACL_FIELD_TYPE_RANGE,
			.size = 2,
			.field_index = (uint8_t)n,
			.input_index = (uint8_t)ports,
			.offset = l->ports + end * 2,
		};
	c->num_fields = n;
	c->num_categories = 1;
}

static struct rte_acl_field *fill_prefix(struct rte_acl_field *field, const struct ipv6_prefix *prefix, uint32_t words)
{
	for (uint32_t word = 0; word < words; word++, field++) {
		uint32_t bits = prefix->length > word * 32 ? prefix->length - word * 32 : 0, value;
		memcpy(&value, prefix->address + word * 4, sizeof(value));
		field->value.u32 = rte_be_to_cpu_32(value);
		field->mask_range.u32 = RTE_MIN(bits, 32u);
	}
	return field;
}

static void fill_ports(struct rte_acl_field *field, struct acl_range range)
{
	field->value.u16 = range.min;
	field->mask_range.u16 = range.max;
}

/* number: from 1, in the order of settings. Rules of the file come by rising priority and rank above generated ones, of
 * which the first ranks highest. */
static void fill_rule(struct acl_fields *f, const struct layout *l, const struct acl_settings *s, uint32_t number)
{
	const struct acl_rule *r = &s->rules[number - 1];
	struct rte_acl_field *field = f->field;

	memset(f, 0, sizeof(*f));
	f->data.category_mask = 1;
	f->data.priority = (int32_t)(r->priority != 0 ? r->priority + s->generated : s->rule_count + 1 - number);
	f->data.userdata = number << 1 | r->permit;
	if (r->protocol != ACL_PROTOCOL_ANY)
		*field = (struct rte_acl_field){.value.u8 = (uint8_t)r->protocol, .mask_range.u8 = 0xff};
	field = fill_prefix(field + 1, &r->source, l->words);
	field = fill_prefix(field, &r->destination, l->words);
	fill_ports(field, r->source_ports);
	fill_ports(field + 1, r->destination_ports);
}

static int add_rules(struct rte_acl_ctx *context, const struct layout *l, const struct acl_settings *s)
{
	struct acl_fields rule;

	for (uint32_t number = 1; number <= s->rule_count; number++) {
		if (!is_of(&s->rules[number - 1], l))
			continue;
		fill_rule(&rule, l, s, number);
		int err = rte_acl_add_rules(context, (struct rte_acl_rule *)(void *)&rule, 1);
		if (err != 0)
			return err;
	}
	return 0;
}

static uint32_t count_rules(const struct acl_settings *s, const struct layout *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->rule_count; i++)
		n += is_of(&s->rules[i], l);
	return n;
}

/* *context stays NULL where no rule is of this version. */
static bool build_context(struct acl_table *t, const struct layout *l, int socket, struct rte_acl_ctx **context)
{
	const struct acl_settings *s = t->settings;
	struct rte_acl_config config = {.max_size = 0};
	uint32_t n = count_rules(s, l);
	char name[RTE_ACL_NAMESIZE];
	struct rte_acl_param param = {
		.name = name,
		.socket_id = socket,
		.rule_size = (uint32_t)RTE_ACL_RULE_SZ(field_count(l)),
		.max_rule_num = n,
	};

	if (n == 0)
		return true;
	snprintf(name, sizeof(name), "acl_ipv%u_%u", l->version, t->generation);
	define_fields(l, &config);
	*context = rte_acl_create(&param);
	int err = *context == NULL ? -rte_errno : add_rules(*context, l, s);
	err = err != 0 ? err : rte_acl_build(*context, &config);
	if (err == 0) {
		/* the same code then runs natively and under valgrind, which has no AVX-512 */
		t->avx2 = rte_acl_set_ctx_classify(*context, RTE_ACL_CLASSIFY_AVX2) == 0;
		return true;
	}
	fprintf(stderr, "acl: rte_acl cannot build %u rules of IPv%u: %s; give EAL more memory (-m) or fewer rules\n", n,
		l->version, rte_strerror(-err));
	return false;
}

/* Rows of several instances share no line. */
static bool create_counts(struct acl_table *t, int socket)
{
	size_t row = (t->rule_count + 1) * sizeof(uint64_t);

	t->counts.inherited = rte_zmalloc_socket("acl_inherited", row, 64, socket);
	bool ok = t->counts.inherited != NULL;
	for (uint32_t i = 0; ok && i < t->instances; i++) {
		t->counts.rows[i] = rte_zmalloc_socket("acl_counts", RTE_ALIGN_CEIL(row, 64), 64, socket);
		ok = t->counts.rows[i] != NULL;
	}
	if (!ok)
		fprintf(stderr, "acl: no memory to count %u rules; give EAL more (-m)\n", t->rule_count);
	return ok;
}

struct acl_table *acl_table_create(const struct acl_settings *s, const struct stage_place *place)
{
	static uint32_t builds; /* DPDK needs unique names: objects from before and after a reload coexist */
	struct acl_table *t = rte_zmalloc_socket("acl_table", sizeof(*t), 64, place->socket);

	if (t == NULL) {
		fprintf(stderr, "acl: no memory\n");
		return NULL;
	}
	t->generation = ++builds;
	t->settings = s;
	t->rule_count = s->rule_count;
	t->permit_default = s->permit_default;
	t->instances = place->count;
	if (!build_context(t, &layouts[0], place->socket, &t->ipv4) ||
	    !build_context(t, &layouts[1], place->socket, &t->ipv6) || !create_counts(t, place->socket)) {
		acl_table_destroy(t);
		return NULL;
	}
	fprintf(stderr, "acl: %u rules, classified with %s\n", t->rule_count,
		t->avx2 ? "AVX2 (pinned)" : "what rte_acl chooses (no AVX2, or EAL does not allow it)");
	return t;
}

void acl_table_destroy(struct acl_table *t)
{
	if (t == NULL)
		return;
	rte_acl_free(t->ipv4);
	rte_acl_free(t->ipv6);
	for (uint32_t i = 0; i < t->instances; i++)
		rte_free(t->counts.rows[i]);
	rte_free(t->counts.inherited);
	rte_free(t);
}
