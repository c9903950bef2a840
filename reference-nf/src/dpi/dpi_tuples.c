/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_errno.h>

#include "dpi/dpi_tuples.h"

#define FIELDS_MAX 11u

/* rte_acl reads its input in groups of 4 bytes. The first field has one byte. */
#define FIELD(n, kind, bytes, group, at)                                                                               \
	{                                                                                                              \
		.type = RTE_ACL_FIELD_TYPE_##kind, .size = (bytes), .field_index = (n), .input_index = (group),        \
		.offset = (uint32_t)(at)                                                                               \
	}
#define COMMON                                                                                                         \
	FIELD(0, BITMASK, 1, 0, offsetof(struct dpi_key, protocol)),                                                   \
		FIELD(1, RANGE, 2, 1, offsetof(struct dpi_key, ports)),                                                \
		FIELD(2, RANGE, 2, 1, offsetof(struct dpi_key, ports) + 2)
#define WORD(n, member, word) FIELD(n, MASK, 4, (n) - 1, offsetof(struct dpi_key, member) + (word) * 4)

static const struct rte_acl_config ipv4_fields = {
	.num_categories = 1,
	.num_fields = 5,
	.defs = {COMMON, WORD(3, source, 0), WORD(4, destination, 0)},
};
static const struct rte_acl_config ipv6_fields = {
	.num_categories = 1,
	.num_fields = 11,
	.defs = {COMMON, WORD(3, source, 0), WORD(4, source, 1), WORD(5, source, 2), WORD(6, source, 3),
		 WORD(7, destination, 0), WORD(8, destination, 1), WORD(9, destination, 2), WORD(10, destination, 3)},
};

RTE_ACL_RULE_DEF(acl_rule, FIELDS_MAX);

/* Sets a prefix, 4 bytes a field. rte_acl takes values in host byte order. */
static void set_network(struct rte_acl_field *fields, const uint8_t *address, uint32_t bits, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++) {
		uint32_t here = bits > w * 32 ? bits - w * 32 : 0;
		fields[w].value.u32 = (uint32_t)load_be16(address + w * 4) << 16 | load_be16(address + w * 4 + 2);
		fields[w].mask_range.u32 = here > 32 ? 32 : here;
	}
}

static void set_range(struct rte_acl_field *field, const uint16_t range[2])
{
	field->value.u16 = range[0];
	field->mask_range.u16 = range[1];
}

static void fill(struct acl_rule *r, const struct dpi_tuple *t, uint32_t index, uint32_t words)
{
	*r = (struct acl_rule){
		.data = {.category_mask = 1, .priority = (int32_t)(DPI_RULES_MAX - index), .userdata = index + 1},
	};
	r->field[0].value.u8 = t->protocol;
	r->field[0].mask_range.u8 = t->protocol == 0 ? 0 : 0xff;
	set_range(&r->field[1], t->source_ports);
	set_range(&r->field[2], t->destination_ports);
	set_network(&r->field[3], t->source, t->source_bits, words);
	set_network(&r->field[3 + words], t->destination, t->destination_bits, words);
}

static bool is_of(const struct dpi_rule *rule, uint8_t version)
{
	return rule->pattern == NULL && (rule->tuple.versions & version) != 0;
}

static int add_rules(struct rte_acl_ctx *acl, const struct dpi_settings *s, uint8_t version)
{
	struct acl_rule rule;
	int err = 0;

	for (uint32_t i = 0; err == 0 && i < s->rule_count; i++) {
		if (!is_of(&s->rules[i], version))
			continue;
		fill(&rule, &s->rules[i].tuple, i, version == DPI_IPV4 ? 1 : 4);
		err = rte_acl_add_rules(acl, (struct rte_acl_rule *)(void *)&rule, 1);
	}
	return err;
}

/* As for patterns: AVX2 where the CPU has it, so that valgrind counts the code that runs natively. */
static void pin(struct rte_acl_ctx *acl)
{
	if (__builtin_cpu_supports("avx2"))
		(void)rte_acl_set_ctx_classify(acl, RTE_ACL_CLASSIFY_AVX2); /* fails where EAL limits SIMD */
}

/* NULL: reported on stderr. */
static struct rte_acl_ctx *build(const struct dpi_settings *s, uint8_t version, uint32_t count, const char *name,
				 int socket)
{
	const struct rte_acl_config *config = version == DPI_IPV4 ? &ipv4_fields : &ipv6_fields;
	struct rte_acl_param params = {
		.name = name,
		.socket_id = socket,
		.rule_size = RTE_ACL_RULE_SZ(config->num_fields),
		.max_rule_num = count,
	};
	struct rte_acl_ctx *acl = rte_acl_create(&params);
	int err = acl == NULL ? -rte_errno : add_rules(acl, s, version);

	if (err == 0)
		err = rte_acl_build(acl, config);
	if (err == 0) {
		pin(acl);
		return acl;
	}
	fprintf(stderr, "dpi: rte_acl cannot take %u rules for %s: %s; give EAL more memory (-m)\n", count,
		version == DPI_IPV4 ? "IPv4" : "IPv6", rte_strerror(-err));
	rte_acl_free(acl);
	return NULL;
}

static bool open_version(struct rte_acl_ctx **acl, const struct dpi_settings *s, uint8_t version, uint64_t generation,
			 int socket)
{
	char name[RTE_ACL_NAMESIZE];
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->rule_count; i++)
		count += is_of(&s->rules[i], version);
	if (count == 0)
		return true;
	snprintf(name, sizeof(name), "dpi_%u_%" PRIu64, version, generation);
	*acl = build(s, version, count, name, socket);
	return *acl != NULL;
}

bool dpi_tuples_open(struct dpi_tuples *t, const struct dpi_settings *s, uint64_t generation, int socket)
{
	*t = (struct dpi_tuples){0};
	if (open_version(&t->ipv4, s, DPI_IPV4, generation, socket) &&
	    open_version(&t->ipv6, s, DPI_IPV6, generation, socket))
		return true;
	dpi_tuples_close(t);
	return false;
}

void dpi_tuples_close(struct dpi_tuples *t)
{
	rte_acl_free(t->ipv4);
	rte_acl_free(t->ipv6);
}

static void find_version(const struct rte_acl_ctx *acl, const struct dpi_key keys[], uint32_t n, uint8_t version,
			 uint32_t rules[])
{
	const uint8_t *data[DPI_TUPLES_BULK];
	uint32_t found[DPI_TUPLES_BULK], at[DPI_TUPLES_BULK], m = 0;

	for (uint32_t i = 0; i < n; i++)
		if (keys[i].version == version) {
			data[m] = &keys[i].protocol;
			at[m++] = i;
		}
	if (acl != NULL && m != 0)
		(void)rte_acl_classify(acl, data, found, m, 1); /* fails only for wrong arguments */
	for (uint32_t i = 0; i < m; i++)
		rules[at[i]] = acl == NULL || found[i] == 0 ? DPI_NO_RULE : found[i] - 1;
}

void dpi_tuples_find(const struct dpi_tuples *t, const struct dpi_key keys[], uint32_t n, uint32_t rules[])
{
	find_version(t->ipv4, keys, n, 4, rules);
	find_version(t->ipv6, keys, n, 6, rules);
}

static bool in_network(const uint8_t *address, const uint8_t *network, uint32_t bits)
{
	uint32_t bytes = bits / 8, rest = bits % 8;

	if (memcmp(address, network, bytes) != 0)
		return false;
	return rest == 0 || (address[bytes] ^ network[bytes]) >> (8 - rest) == 0;
}

static bool in_range(const uint8_t *port, const uint16_t range[2])
{
	uint16_t value = load_be16(port);
	return value >= range[0] && value <= range[1];
}

bool dpi_tuple_fits(const struct dpi_tuple *t, const struct dpi_key *key)
{
	return (t->versions & (key->version == 4 ? DPI_IPV4 : DPI_IPV6)) != 0 &&
	       (t->protocol == 0 || t->protocol == key->protocol) && in_range(key->ports, t->source_ports) &&
	       in_range(key->ports + 2, t->destination_ports) && in_network(key->source, t->source, t->source_bits) &&
	       in_network(key->destination, t->destination, t->destination_bits);
}
