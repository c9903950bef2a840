/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packet detection rules of a session message.
 */
#include "pfcp/pfcp_pdr.h"
#include "pfcp/pfcp_read.h"

enum { F_TEID_V4 = 1, F_TEID_CHOOSE = 4, F_TEID_CHOOSE_ID = 8 };

static bool choose_teid(struct pfcp_request *r, const struct pfcp_ie *ie, struct upf_pdr_terms *p)
{
	struct pfcp_chooser *c = r->chooser;
	bool shares = (ie->value[0] & F_TEID_CHOOSE_ID) != 0;
	int32_t id = shares && ie->bytes > 1 ? ie->value[1] : -1;

	if (shares && !holds(r, ie, 2))
		return false;
	p->teid = 0;
	for (uint32_t i = 0; i < c->count; i++)
		if (id >= 0 && c->chosen[i].id == id)
			p->teid = c->chosen[i].teid;
	if (p->teid == 0)
		p->teid = c->choose(c->arg);
	if (p->teid == 0 || c->count == UPF_RULES_MAX)
		return refuse(r, PFCP_NO_RESOURCES, ie->type, "no TEID is left");
	c->chosen[c->count].pdr = p->id;
	c->chosen[c->count].teid = p->teid;
	c->chosen[c->count++].id = id;
	return true;
}

static bool read_f_teid(struct pfcp_request *r, const struct pfcp_ie *ie, struct upf_pdr_terms *p)
{
	if (!holds(r, ie, 1))
		return false;
	if ((ie->value[0] & F_TEID_V4) == 0)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "only tunnels over IPv4 are supported");
	if ((ie->value[0] & F_TEID_CHOOSE) != 0)
		return choose_teid(r, ie, p);
	if (!holds(r, ie, 9))
		return false;
	p->teid = (uint32_t)pfcp_number(ie->value + 1, 4);
	if (memcmp(ie->value + 5, &r->chooser->n3, 4) != 0)
		return refuse(r, PFCP_MANDATORY_IE_INCORRECT, ie->type, "the tunnel does not end at this UPF's address");
	return p->teid != 0 || refuse(r, PFCP_MANDATORY_IE_INCORRECT, ie->type, "TEID 0 is no user's");
}

enum { UE_V6 = 1, UE_V4 = 2, UE_DELEGATED = 8, UE_CHOOSE = 0x30, UE_LENGTH = 0x40 };

/* Behind the addresses (TS 29.244, 8.2.62): bits that are delegated beside the 64 of a prefix, and its length. */
static bool read_prefix(struct pfcp_request *r, const struct pfcp_ie *ie, uint32_t at)
{
	uint8_t flags = ie->value[0];
	uint32_t delegated = (flags & UE_DELEGATED) != 0, length = (flags & UE_LENGTH) != 0;

	if (!holds(r, ie, at + delegated + length))
		return false;
	if ((delegated != 0 && ie->value[at] != 0) || (length != 0 && ie->value[at + delegated] != 64))
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "an IPv6 prefix of another length than 64");
	return true;
}

static bool read_ue(struct pfcp_request *r, const struct pfcp_ie *ie, struct upf_ue *ue)
{
	if (!holds(r, ie, 1))
		return false;
	uint8_t flags = ie->value[0];
	uint32_t at = 1, v4 = (flags & UE_V4) != 0 ? 4 : 0, v6 = (flags & UE_V6) != 0 ? 16 : 0;

	if ((flags & UE_CHOOSE) != 0 || v4 + v6 == 0)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "the UPF does not choose addresses");
	if (!holds(r, ie, at + v4 + v6) || (v6 != 0 && !read_prefix(r, ie, at + v4 + v6)))
		return false;
	struct upf_ue one = {.versions = (uint8_t)((v4 != 0 ? DPI_IPV4 : 0) | (v6 != 0 ? DPI_IPV6 : 0))};
	memcpy(&one.ipv4, ie->value + at, v4);
	if (v6 != 0)
		memcpy(&one.ipv6, ie->value + at + v4, sizeof(one.ipv6));
	return upf_ue_add(ue, &one) ||
	       refuse(r, PFCP_NOT_SUPPORTED, ie->type, "more than one address of an IP version");
}

enum { SDF_HAS_DESCRIPTION = 1, SDF_OTHER = 0xe };

static bool read_sdf(struct pfcp_request *r, const struct pfcp_ie *ie, struct upf_pdr_terms *p)
{
	char text[256];

	if (!holds(r, ie, 4))
		return false;
	uint32_t bytes = (uint32_t)pfcp_number(ie->value + 2, 2);
	if ((ie->value[0] & SDF_HAS_DESCRIPTION) == 0 || (ie->value[0] & SDF_OTHER) != 0)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "of SDF filters only a flow description is supported");
	if (p->filter_count == UPF_FILTERS_OF_PDR)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "more than four SDF filters of a PDR");
	if (!holds(r, ie, 4 + bytes))
		return false;
	if (bytes >= sizeof(text) || memchr(ie->value + 4, 0, bytes) != NULL)
		return refuse(r, PFCP_MANDATORY_IE_INCORRECT, ie->type, "the flow description is no text of at most 255 characters");
	memcpy(text, ie->value + 4, bytes);
	text[bytes] = '\0';
	const char *wrong = upf_parse_filter(text, p->side, &p->filters[p->filter_count++]);
	return wrong == NULL || refuse(r, PFCP_MANDATORY_IE_INCORRECT, ie->type, wrong);
}

static bool take_pdi(struct pfcp_request *r, const struct pfcp_ie *ie, void *terms)
{
	struct upf_pdr_terms *p = terms;

	switch (ie->type) {
	case PFCP_F_TEID:
		return read_f_teid(r, ie, p);
	case PFCP_UE_IP_ADDRESS:
		return read_ue(r, ie, &p->ue);
	case PFCP_SDF_FILTER:
		return read_sdf(r, ie, p);
	case PFCP_QFI:
		if (!holds(r, ie, 1))
			return false;
		p->qfis |= UINT64_C(1) << (ie->value[0] & 0x3f);
		return true;
	case PFCP_APPLICATION_ID:
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "applications are not told apart by PDRs");
	default:
		return true;
	}
}

static bool take_side(struct pfcp_request *r, const struct pfcp_ie *ie, void *side)
{
	return ie->type != PFCP_SOURCE_INTERFACE || read_side(r, ie, side);
}

/* The side first: filters are read by it. What was known before is replaced. */
static bool read_pdi(struct pfcp_request *r, const struct pfcp_ie *ie, struct upf_pdr_terms *p)
{
	enum { UNKNOWN = 0xff };

	p->side = UNKNOWN;
	p->teid = 0;
	p->ue = (struct upf_ue){0};
	p->filter_count = 0;
	p->qfis = 0;
	if (!read_group(r, ie, &p->side, take_side))
		return false;
	if (p->side == UNKNOWN)
		return refuse(r, PFCP_MANDATORY_IE_MISSING, PFCP_SOURCE_INTERFACE, "a PDI has no source interface");
	if (!read_group(r, ie, p, take_pdi))
		return false;
	return p->side == UPF_ACCESS || p->teid == 0 ||
	       refuse(r, PFCP_NOT_SUPPORTED, PFCP_F_TEID, "tunnels from the core's side are not supported");
}

/* A PDR as it is being read. */
struct pdr_request {
	struct upf_pdr_terms *terms;
	bool has_pdi, has_precedence, has_far, removes, has_qers, has_urrs;
};

static bool add_reference(struct pfcp_request *r, const struct pfcp_ie *ie, uint32_t ids[], uint8_t *count, bool *replaced)
{
	if (!*replaced)
		*count = 0; /* those of an update are all there are */
	*replaced = true;
	if (*count == UPF_OF_PDR)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "more than two QERs or URRs of a PDR");
	return read_number(r, ie, 4, &ids[(*count)++]);
}

enum { REMOVE_GTPU_IPV4 = 0, REMOVE_GTPU_IP = 6 };

static bool take_pdr(struct pfcp_request *r, const struct pfcp_ie *ie, void *terms)
{
	struct pdr_request *x = terms;
	struct upf_pdr_terms *p = x->terms;

	switch (ie->type) {
	case PFCP_PDI:
		x->has_pdi = true;
		return read_pdi(r, ie, p);
	case PFCP_PRECEDENCE:
		x->has_precedence = true;
		return read_number(r, ie, 4, &p->precedence);
	case PFCP_FAR_ID:
		x->has_far = true;
		return read_number(r, ie, 4, &p->far);
	case PFCP_QER_ID:
		return add_reference(r, ie, p->qers, &p->qer_count, &x->has_qers);
	case PFCP_URR_ID:
		return add_reference(r, ie, p->urrs, &p->urr_count, &x->has_urrs);
	case PFCP_OUTER_HEADER_REMOVAL:
		x->removes = true;
		return holds(r, ie, 1) && (ie->value[0] == REMOVE_GTPU_IPV4 || ie->value[0] == REMOVE_GTPU_IP ||
					   refuse(r, PFCP_NOT_SUPPORTED, ie->type, "only GTP-U over IPv4 is removed"));
	case PFCP_ACTIVATE_PREDEFINED_RULES:
		p->predefined = true;
		return true;
	case PFCP_DEACTIVATE_PREDEFINED_RULES:
		p->predefined = false;
		return true;
	default:
		return true;
	}
}

bool pfcp_create_pdr(struct pfcp_request *r, const struct pfcp_ie *ie)
{
	struct upf_rules *rules = r->rules;
	struct upf_pdr_terms terms = {0};
	struct pdr_request x = {.terms = &terms};

	if (!read_id(r, ie, PFCP_PDR_ID, &terms.id) || !read_group(r, ie, &x, take_pdr))
		return false;
	if (!x.has_pdi || !x.has_precedence)
		return refuse(r, PFCP_MANDATORY_IE_MISSING, x.has_pdi ? PFCP_PRECEDENCE : PFCP_PDI, "a PDR lacks what it needs");
	if (!x.has_far)
		return refuse(r, PFCP_CONDITIONAL_IE_MISSING, PFCP_FAR_ID, "a PDR has no FAR");
	if (terms.side == UPF_ACCESS && !x.removes)
		return refuse(r, PFCP_CONDITIONAL_IE_MISSING, PFCP_OUTER_HEADER_REMOVAL, "a PDR keeps the outer header");
	if (rules->pdr_count == UPF_RULES_MAX)
		return refuse(r, PFCP_NO_RESOURCES, ie->type, "more than 32 PDRs of a session");
	rules->pdrs[rules->pdr_count++] = terms;
	return true;
}

bool pfcp_update_pdr(struct pfcp_request *r, const struct pfcp_ie *ie)
{
	uint32_t id;

	if (!read_id(r, ie, PFCP_PDR_ID, &id))
		return false;
	uint32_t at = upf_find_pdr(r->rules, id);
	if (at == r->rules->pdr_count)
		return refuse_rule(r, UPF_PDR, id, "is updated, and is not there");
	return read_group(r, ie, &(struct pdr_request){.terms = &r->rules->pdrs[at]}, take_pdr);
}
