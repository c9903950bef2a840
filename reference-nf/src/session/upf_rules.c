/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/upf_rules.h"

const char *const upf_kind_names[] = {"PDR", "FAR", "QER", "URR"};

#define FIND(rules, kind, number)                                                                                      \
	do {                                                                                                           \
		uint32_t at_ = 0;                                                                                      \
		while (at_ < (rules)->kind##_count && (rules)->kind##s[at_].id != (number))                            \
			at_++;                                                                                         \
		return at_;                                                                                            \
	} while (0)

uint32_t upf_find_pdr(const struct upf_rules *r, uint32_t id)
{
	FIND(r, pdr, id);
}

uint32_t upf_find_far(const struct upf_rules *r, uint32_t id)
{
	FIND(r, far, id);
}

uint32_t upf_find_qer(const struct upf_rules *r, uint32_t id)
{
	FIND(r, qer, id);
}

uint32_t upf_find_urr(const struct upf_rules *r, uint32_t id)
{
	FIND(r, urr, id);
}

static bool refuse(struct upf_refusal *refusal, enum upf_kind kind, uint32_t id, const char *reason)
{
	*refusal = (struct upf_refusal){reason, kind, id};
	return false;
}

void upf_say_refusal(const struct upf_refusal *r, char text[UPF_REFUSAL_BYTES])
{
	if (r->id == 0)
		snprintf(text, UPF_REFUSAL_BYTES, "%s", r->reason);
	else
		snprintf(text, UPF_REFUSAL_BYTES, "%s %u: %s", upf_kind_names[r->kind], r->id, r->reason);
}

/* The stages charge a packet to each rule that its PDR names, once. */
static bool names_one_twice(const uint32_t ids[], uint32_t count)
{
	_Static_assert(UPF_OF_PDR == 2, "there is one pair");
	return count == UPF_OF_PDR && ids[0] == ids[1];
}

static bool check_pdr(const struct upf_rules *r, const struct upf_pdr_terms *p, struct upf_refusal *refusal)
{
	if (upf_find_far(r, p->far) == r->far_count)
		return refuse(refusal, UPF_PDR, p->id, "its FAR is not there");
	for (uint32_t i = 0; i < p->qer_count; i++)
		if (upf_find_qer(r, p->qers[i]) == r->qer_count)
			return refuse(refusal, UPF_PDR, p->id, "a QER of it is not there");
	for (uint32_t i = 0; i < p->urr_count; i++)
		if (upf_find_urr(r, p->urrs[i]) == r->urr_count)
			return refuse(refusal, UPF_PDR, p->id, "a URR of it is not there");
	if (names_one_twice(p->qers, p->qer_count))
		return refuse(refusal, UPF_PDR, p->id, "names a QER twice");
	if (names_one_twice(p->urrs, p->urr_count))
		return refuse(refusal, UPF_PDR, p->id, "names a URR twice");
	if (p->side == UPF_CORE && p->ue.versions == 0)
		return refuse(refusal, UPF_PDR, p->id, "of the core's side, and has no address of the subscriber");
	if (p->side == UPF_ACCESS && p->teid == 0)
		return refuse(refusal, UPF_PDR, p->id, "of the access side, and has no TEID");
	return true;
}

static bool check_far(const struct upf_far_terms *f, struct upf_refusal *refusal)
{
	if (f->to == UPF_CORE && f->peer != 0)
		return refuse(refusal, UPF_FAR, f->id, "tunnels to the core's side are not supported");
	if (f->action == UPF_FORWARD && f->to == UPF_ACCESS && f->peer == 0)
		return refuse(refusal, UPF_FAR, f->id, "forwards to the access side, and has no tunnel to it");
	return true;
}

#define CHECK_UNIQUE(rules, kind, name)                                                                                \
	do {                                                                                                           \
		for (uint32_t i_ = 0; i_ < (rules)->kind##_count; i_++)                                                \
			if (upf_find_##kind(rules, (rules)->kind##s[i_].id) != i_)                                     \
				return refuse(refusal, name, (rules)->kind##s[i_].id, "its number stands twice");      \
	} while (0)

bool upf_rules_check(const struct upf_rules *r, struct upf_refusal *refusal)
{
	CHECK_UNIQUE(r, pdr, UPF_PDR);
	CHECK_UNIQUE(r, far, UPF_FAR);
	CHECK_UNIQUE(r, qer, UPF_QER);
	CHECK_UNIQUE(r, urr, UPF_URR);
	for (uint32_t i = 0; i < r->pdr_count; i++)
		if (!check_pdr(r, &r->pdrs[i], refusal))
			return false;
	for (uint32_t i = 0; i < r->far_count; i++)
		if (!check_far(&r->fars[i], refusal))
			return false;
	return true;
}

/* One end of a filter. */
struct end {
	uint8_t address[16];
	uint8_t bits;
	uint16_t ports[2];
};

static bool parse_protocol(const char *text, uint8_t *protocol)
{
	char rest;
	unsigned int number;

	if (strcmp(text, "ip") == 0) {
		*protocol = 0;
		return true;
	}
	if (sscanf(text, "%3u%c", &number, &rest) != 1 || number == 0 || number > 255)
		return false;
	*protocol = (uint8_t)number;
	return true;
}

static bool clear_past(const uint8_t *address, uint32_t bits, uint32_t all)
{
	for (uint32_t bit = bits; bit < all; bit++)
		if (address[bit / 8] >> (7 - bit % 8) & 1)
			return false;
	return true;
}

/* `any`, `assigned` (whoever the PDR is of), an address or a prefix. */
static bool parse_address(const char *text, struct end *end, uint8_t *versions)
{
	char host[INET6_ADDRSTRLEN], rest;
	unsigned int bits;

	if (strcmp(text, "any") == 0 || strcmp(text, "assigned") == 0)
		return true;
	int words = sscanf(text, "%45[0-9a-fA-F.:]/%3u%c", host, &bits, &rest);
	bool ipv4 = words >= 1 && inet_pton(AF_INET, host, end->address) == 1;
	uint32_t all = ipv4 ? 32 : 128;

	if (words < 1 || words > 2 || (!ipv4 && inet_pton(AF_INET6, host, end->address) != 1))
		return false;
	if (words == 1) {
		if (strchr(text, '/') != NULL)
			return false;
		bits = all;
	}
	*versions &= ipv4 ? DPI_IPV4 : DPI_IPV6;
	end->bits = (uint8_t)bits;
	return bits <= all && clear_past(end->address, bits, all);
}

static bool parse_ports(const char *text, uint16_t ports[2])
{
	unsigned int first, last;
	char rest;
	int words = sscanf(text, "%5u-%5u%c", &first, &last, &rest);

	if (words == 1 && strchr(text, '-') == NULL && sscanf(text, "%5u%c", &first, &rest) == 1)
		last = first;
	else if (words != 2)
		return false;
	ports[0] = (uint16_t)first;
	ports[1] = (uint16_t)last;
	return first <= last && last <= UINT16_MAX;
}

/* `WORD ADDRESS [PORTS]`, the word as given. Takes them off *rest. */
static bool parse_end(char **rest, const char *word, const char *stop, struct end *end, uint8_t *versions)
{
	const char *name = strtok_r(NULL, " ", rest), *address = strtok_r(NULL, " ", rest);
	char *at = *rest;

	*end = (struct end){.ports = {0, UINT16_MAX}};
	if (name == NULL || address == NULL || strcmp(name, word) != 0 || !parse_address(address, end, versions))
		return false;
	at += strspn(at, " ");
	if (*at == '\0' || (stop != NULL && strncmp(at, stop, strlen(stop)) == 0))
		return true;
	return parse_ports(strtok_r(NULL, " ", rest), end->ports);
}

static bool any_port(const uint16_t ports[2])
{
	return ports[0] == 0 && ports[1] == UINT16_MAX;
}

const char *upf_parse_filter(const char *text, enum upf_side side, struct dpi_tuple *filter)
{
	static const char form[] = "expected `permit out PROTOCOL from ADDRESS [PORTS] to ADDRESS [PORTS]`, PROTOCOL a number "
				   "or ip, ADDRESS any, assigned or a prefix, PORTS a port or a range";
	char copy[256], *rest = NULL;
	struct end from, to;
	uint8_t protocol, versions = DPI_IPV4 | DPI_IPV6;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy))
		return "longer than 255 characters";
	const char *permit = strtok_r(copy, " ", &rest), *out = strtok_r(NULL, " ", &rest);
	const char *word = out == NULL ? NULL : strtok_r(NULL, " ", &rest);

	if (word == NULL || strcmp(permit, "permit") != 0 || strcmp(out, "out") != 0 || !parse_protocol(word, &protocol) ||
	    !parse_end(&rest, "from", "to ", &from, &versions) || !parse_end(&rest, "to", NULL, &to, &versions) ||
	    strtok_r(NULL, " ", &rest) != NULL)
		return form;
	if (versions == 0)
		return "its ends are of two IP versions";
	if (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP && !(any_port(from.ports) && any_port(to.ports)))
		return "ports need protocol 6 or 17";
	const struct end *source = side == UPF_ACCESS ? &to : &from, *destination = side == UPF_ACCESS ? &from : &to;
	memset(filter, 0, sizeof(*filter)); /* filters are compared as bytes */
	filter->versions = versions;
	filter->protocol = protocol;
	filter->source_bits = source->bits;
	filter->destination_bits = destination->bits;
	memcpy(filter->source_ports, source->ports, sizeof(source->ports));
	memcpy(filter->destination_ports, destination->ports, sizeof(destination->ports));
	memcpy(filter->source, source->address, sizeof(source->address));
	memcpy(filter->destination, destination->address, sizeof(destination->address));
	return NULL;
}
