/* SPDX-License-Identifier: BSD-3-Clause */
#include <netinet/in.h>

#include <rte_ether.h>

#include "flow_rules/openflow_line.h"
#include "flow_rules/openflow_match.h"
#include "flow_rules/openflow_value.h"

enum { ANY_TYPE, ANY_IP = 1 }; /* what a field needs of eth_type, beside a value of it */

/* A field as a match names it. */
static const struct match_field {
	const char *name;
	uint8_t field, form;
	uint16_t eth_type;
	uint8_t ip_proto; /* that it needs; 0: any */
	uint64_t max;
} match_fields[] = {
	{"in_port", OPENFLOW_IN_PORT, FORM_NUMBER, ANY_TYPE, 0, OPENFLOW_PORTS},
	{"metadata", OPENFLOW_METADATA, FORM_MASKED, ANY_TYPE, 0, UINT64_MAX},
	{"eth_dst", OPENFLOW_ETH_DST, FORM_MAC, ANY_TYPE, 0, OPENFLOW_MAC_BITS},
	{"eth_src", OPENFLOW_ETH_SRC, FORM_MAC, ANY_TYPE, 0, OPENFLOW_MAC_BITS},
	{"eth_type", OPENFLOW_ETH_TYPE, FORM_NUMBER, ANY_TYPE, 0, 0xffff},
	{"ip_dscp", OPENFLOW_IP_DSCP, FORM_NUMBER, ANY_IP, 0, 63},
	{"ip_proto", OPENFLOW_IP_PROTO, FORM_NUMBER, ANY_IP, 0, 255},
	{"ipv4_src", OPENFLOW_IPV4_SRC, FORM_IPV4, RTE_ETHER_TYPE_IPV4, 0, UINT32_MAX},
	{"ipv4_dst", OPENFLOW_IPV4_DST, FORM_IPV4, RTE_ETHER_TYPE_IPV4, 0, UINT32_MAX},
	{"ipv6_src", OPENFLOW_IPV6_SRC, FORM_IPV6, RTE_ETHER_TYPE_IPV6, 0, UINT64_MAX},
	{"ipv6_dst", OPENFLOW_IPV6_DST, FORM_IPV6, RTE_ETHER_TYPE_IPV6, 0, UINT64_MAX},
	{"tcp_src", OPENFLOW_L4_SRC, FORM_NUMBER, ANY_IP, IPPROTO_TCP, 0xffff},
	{"tcp_dst", OPENFLOW_L4_DST, FORM_NUMBER, ANY_IP, IPPROTO_TCP, 0xffff},
	{"udp_src", OPENFLOW_L4_SRC, FORM_NUMBER, ANY_IP, IPPROTO_UDP, 0xffff},
	{"udp_dst", OPENFLOW_L4_DST, FORM_NUMBER, ANY_IP, IPPROTO_UDP, 0xffff},
};

static const struct match_field *find_field(const char *name)
{
	for (uint32_t i = 0; i < RTE_DIM(match_fields); i++)
		if (strcmp(match_fields[i].name, name) == 0)
			return &match_fields[i];
	return NULL;
}

/* What the field's value needs beside it (OpenFlow 1.3, 7.2.3.8: prerequisites). */
static bool prerequisites_hold(const struct match_field *f, const struct openflow_match *m)
{
	bool has_type = (m->fields >> OPENFLOW_ETH_TYPE & 1) != 0;
	uint64_t type = m->values[OPENFLOW_ETH_TYPE];

	if (f->eth_type == ANY_IP && !(has_type && (type == RTE_ETHER_TYPE_IPV4 || type == RTE_ETHER_TYPE_IPV6)))
		return false;
	if (f->eth_type > ANY_IP && !(has_type && type == f->eth_type))
		return false;
	return f->ip_proto == 0 || ((m->fields >> OPENFLOW_IP_PROTO & 1) != 0 && m->values[OPENFLOW_IP_PROTO] == f->ip_proto);
}

static bool parse_field(const struct openflow_line *line, char *text, struct openflow_match *m)
{
	char *equals = strchr(text, '='), whole[80];

	snprintf(whole, sizeof(whole), "%s", text);
	if (equals != NULL)
		*equals = '\0';
	const struct match_field *f = find_field(text);
	if (f == NULL || equals == NULL)
		return wrong(line, "%s: expected a field and its value, like eth_type=0x0800", whole);
	if (m->fields >> f->field & 1)
		return wrong(line, "%s: the match has that field already", whole);
	if (!prerequisites_hold(f, m))
		return wrong(line, "%s needs %s%s before it", f->name,
			     f->eth_type == RTE_ETHER_TYPE_IPV4	  ? "eth_type=0x0800"
			     : f->eth_type == RTE_ETHER_TYPE_IPV6 ? "eth_type=0x86dd"
								  : "eth_type=0x0800 or 0x86dd",
			     f->ip_proto == IPPROTO_TCP	  ? " and ip_proto=6"
			     : f->ip_proto == IPPROTO_UDP ? " and ip_proto=17"
							  : "");
	uint64_t *value = &m->values[f->field], *mask = &m->masks[f->field];
	bool good = f->form == FORM_IPV6 ? openflow_parse_ipv6(equals + 1, value, mask)
					 : openflow_parse_value(f->form, equals + 1, f->field == OPENFLOW_IN_PORT, f->max, value, mask);
	if (!good)
		return wrong(line, "%s: not a value of this field, or bits set outside its mask", whole);
	m->fields |= 1u << f->field;
	if (f->form == FORM_IPV6)
		m->fields |= 2u << f->field;
	if (f->field == OPENFLOW_IN_PORT)
		*mask = UINT64_MAX;
	if (f->field >= OPENFLOW_L4_SRC)
		*mask |= OPENFLOW_NO_L4;
	return true;
}

bool openflow_parse_match(const struct openflow_line *line, char *text, struct openflow_match *m)
{
	char *rest = NULL;

	memset(m, 0, sizeof(*m));
	if (strcmp(text, "any") == 0)
		return true;
	for (char *field = strtok_r(text, ",", &rest); field != NULL; field = strtok_r(NULL, ",", &rest))
		if (!parse_field(line, field, m))
			return false;
	return true;
}
