/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "pfcp/pfcp_rules.h"

/* A request that is being applied. */
struct request {
	struct upf_rules *rules;
	struct pfcp_chooser *chooser;
	struct pfcp_fault *fault;
};

static bool refuse(struct request *r, enum pfcp_cause cause, uint16_t ie, const char *reason)
{
	r->fault->cause = cause;
	r->fault->ie = ie;
	r->fault->rule.reason = reason;
	return false;
}

static bool refuse_rule(struct request *r, enum upf_kind kind, uint32_t id, const char *reason)
{
	*r->fault = (struct pfcp_fault){PFCP_RULE_FAILURE, 0, {reason, kind, id}};
	return false;
}

/* An element is as long as its fields, or longer: later versions of the protocol add to its end. */
static bool holds(struct request *r, const struct pfcp_ie *ie, uint32_t bytes)
{
	return ie->bytes >= bytes || refuse(r, PFCP_INVALID_LENGTH, ie->type, "an element is shorter than its fields");
}

static bool read_number(struct request *r, const struct pfcp_ie *ie, uint32_t bytes, uint32_t *number)
{
	if (!holds(r, ie, bytes))
		return false;
	*number = (uint32_t)pfcp_number(ie->value, bytes);
	return true;
}

/* Looks through a grouped element; each of what it holds goes to `take`. */
static bool read_group(struct request *r, const struct pfcp_ie *group, void *terms,
		       bool (*take)(struct request *r, const struct pfcp_ie *ie, void *terms))
{
	struct pfcp_reader reader = pfcp_reader(group->value, group->bytes);
	struct pfcp_ie ie;

	while (pfcp_next(&reader, &ie))
		if (!take(r, &ie, terms))
			return false;
	return !reader.broken || refuse(r, PFCP_INVALID_LENGTH, group->type, "an element reaches beyond its group");
}

/* The number that a rule's element names it by; 0 is none. */
static bool read_id(struct request *r, const struct pfcp_ie *group, uint16_t type, uint32_t *id)
{
	struct pfcp_reader reader = pfcp_reader(group->value, group->bytes);
	struct pfcp_ie ie;

	while (pfcp_next(&reader, &ie))
		if (ie.type == type)
			return read_number(r, &ie, type == PFCP_PDR_ID ? 2 : 4, id) &&
			       (*id != 0 || refuse(r, PFCP_MANDATORY_IE_INCORRECT, type, "a rule has number 0"));
	return refuse(r, PFCP_MANDATORY_IE_MISSING, type, "a rule has no number");
}

/* Packet detection information. */

enum { F_TEID_V4 = 1, F_TEID_CHOOSE = 4, F_TEID_CHOOSE_ID = 8 };

static bool choose_teid(struct request *r, const struct pfcp_ie *ie, struct upf_pdr_terms *p)
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

static bool read_f_teid(struct request *r, const struct pfcp_ie *ie, struct upf_pdr_terms *p)
{
	if (!holds(r, ie, 1))
		return false;
	if ((ie->value[0] & F_TEID_CHOOSE) != 0)
		return choose_teid(r, ie, p);
	if ((ie->value[0] & F_TEID_V4) == 0)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "tunnels over IPv6 are not supported");
	if (!holds(r, ie, 9))
		return false;
	p->teid = (uint32_t)pfcp_number(ie->value + 1, 4);
	if (memcmp(ie->value + 5, &r->chooser->n3, 4) != 0)
		return refuse(r, PFCP_MANDATORY_IE_INCORRECT, ie->type, "the tunnel does not end at this UPF's address");
	return p->teid != 0 || refuse(r, PFCP_MANDATORY_IE_INCORRECT, ie->type, "TEID 0 is no user's");
}

enum { UE_V6 = 1, UE_V4 = 2, UE_CHOOSE = 0x30 };

static bool read_ue(struct request *r, const struct pfcp_ie *ie, struct upf_ue *ue)
{
	if (!holds(r, ie, 1))
		return false;
	uint8_t flags = ie->value[0];
	uint32_t at = 1, v4 = (flags & UE_V4) != 0 ? 4 : 0, v6 = (flags & UE_V6) != 0 ? 16 : 0;

	if ((flags & UE_CHOOSE) != 0 || v4 + v6 == 0)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "the UPF does not choose addresses");
	if (!holds(r, ie, at + v4 + v6))
		return false;
	*ue = (struct upf_ue){.versions = (uint8_t)((v4 != 0 ? DPI_IPV4 : 0) | (v6 != 0 ? DPI_IPV6 : 0))};
	memcpy(&ue->ipv4, ie->value + at, v4);
	if (v6 != 0)
		memcpy(&ue->ipv6, ie->value + at + v4, sizeof(ue->ipv6));
	return true;
}

/* The SMF itself is, like an access node, at the far end of a tunnel: it sends and gets router advertisements by it. */
static bool read_side(struct request *r, const struct pfcp_ie *ie, uint8_t *side)
{
	enum { ACCESS, CORE, SGI, CP_FUNCTION };

	if (!holds(r, ie, 1))
		return false;
	uint8_t interface = ie->value[0] & 0xf;
	if (interface > CP_FUNCTION)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "an interface that is not supported");
	*side = interface == CORE || interface == SGI ? UPF_CORE : UPF_ACCESS;
	return true;
}

enum { SDF_HAS_DESCRIPTION = 1, SDF_OTHER = 0xe };

static bool read_sdf(struct request *r, const struct pfcp_ie *ie, struct upf_pdr_terms *p)
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

static bool take_pdi(struct request *r, const struct pfcp_ie *ie, void *terms)
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
		p->qfi = ie->value[0] & 0x3f;
		return true;
	case PFCP_APPLICATION_ID:
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "applications are not told apart by PDRs");
	default:
		return true;
	}
}

static bool take_side(struct request *r, const struct pfcp_ie *ie, void *side)
{
	return ie->type != PFCP_SOURCE_INTERFACE || read_side(r, ie, side);
}

/* The side first: filters are read by it. What was known before is replaced. */
static bool read_pdi(struct request *r, const struct pfcp_ie *ie, struct upf_pdr_terms *p)
{
	enum { UNKNOWN = 0xff };

	p->side = UNKNOWN;
	p->teid = 0;
	p->ue = (struct upf_ue){0};
	p->filter_count = 0;
	p->qfi = 0;
	if (!read_group(r, ie, &p->side, take_side))
		return false;
	if (p->side == UNKNOWN)
		return refuse(r, PFCP_MANDATORY_IE_MISSING, PFCP_SOURCE_INTERFACE, "a PDI has no source interface");
	return read_group(r, ie, p, take_pdi);
}

/* A PDR as it is being read. */
struct pdr_request {
	struct upf_pdr_terms *terms;
	bool has_pdi, has_precedence, has_far, removes, has_qers, has_urrs;
};

static bool add_reference(struct request *r, const struct pfcp_ie *ie, uint32_t ids[], uint8_t *count, bool *replaced)
{
	if (!*replaced)
		*count = 0; /* those of an update are all there are */
	*replaced = true;
	if (*count == UPF_OF_PDR)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "more than two QERs or URRs of a PDR");
	return read_number(r, ie, 4, &ids[(*count)++]);
}

enum { REMOVE_GTPU_IPV4 = 0, REMOVE_GTPU_IP = 6 };

static bool take_pdr(struct request *r, const struct pfcp_ie *ie, void *terms)
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

static bool create_pdr(struct request *r, const struct pfcp_ie *ie)
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
	if (terms.side == UPF_CORE && terms.teid != 0)
		return refuse(r, PFCP_NOT_SUPPORTED, PFCP_F_TEID, "tunnels from the core's side are not supported");
	if (rules->pdr_count == UPF_RULES_MAX)
		return refuse(r, PFCP_NO_RESOURCES, ie->type, "more than 32 PDRs of a session");
	rules->pdrs[rules->pdr_count++] = terms;
	return true;
}

static bool update_pdr(struct request *r, const struct pfcp_ie *ie)
{
	uint32_t id;

	if (!read_id(r, ie, PFCP_PDR_ID, &id))
		return false;
	uint32_t at = upf_find_pdr(r->rules, id);
	if (at == r->rules->pdr_count)
		return refuse_rule(r, UPF_PDR, id, "is updated, and is not there");
	return read_group(r, ie, &(struct pdr_request){.terms = &r->rules->pdrs[at]}, take_pdr);
}

/* Forwarding actions. */

enum { ACTION_DROP = 1, ACTION_FORWARD = 2, ACTION_BUFFER = 4, ACTION_NOTIFY = 8, ACTION_DUPLICATE = 16 };

struct far_request {
	struct upf_far_terms *terms;
	bool has_action;
};

static bool read_action(struct request *r, const struct pfcp_ie *ie, struct upf_far_terms *f)
{
	if (!holds(r, ie, 1))
		return false;
	uint8_t flags = ie->value[0], one = flags & (ACTION_DROP | ACTION_FORWARD | ACTION_BUFFER);

	if ((flags & ACTION_DUPLICATE) != 0)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "packets are not duplicated");
	if (one != ACTION_DROP && one != ACTION_FORWARD && one != ACTION_BUFFER)
		return refuse(r, PFCP_MANDATORY_IE_INCORRECT, ie->type, "exactly one of drop, forward and buffer is an action");
	f->action = one == ACTION_DROP ? UPF_DROP : one == ACTION_FORWARD ? UPF_FORWARD : UPF_BUFFER;
	f->notify = (flags & ACTION_NOTIFY) != 0;
	return true;
}

static bool take_parameters(struct request *r, const struct pfcp_ie *ie, void *terms)
{
	enum { GTPU_IPV4 = 0x0100 };
	struct upf_far_terms *f = terms;

	if (ie->type == PFCP_DESTINATION_INTERFACE)
		return read_side(r, ie, &f->to);
	if (ie->type != PFCP_OUTER_HEADER_CREATION)
		return true;
	if (!holds(r, ie, 2))
		return false;
	if (pfcp_number(ie->value, 2) != GTPU_IPV4)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "only GTP-U over IPv4 is created");
	if (!holds(r, ie, 10))
		return false;
	f->teid = (uint32_t)pfcp_number(ie->value + 2, 4);
	memcpy(&f->peer, ie->value + 6, sizeof(f->peer));
	return f->peer != 0 || refuse(r, PFCP_MANDATORY_IE_INCORRECT, ie->type, "the tunnel's far end has no address");
}

static bool take_far(struct request *r, const struct pfcp_ie *ie, void *terms)
{
	struct far_request *x = terms;

	if (ie->type == PFCP_APPLY_ACTION) {
		x->has_action = true;
		return read_action(r, ie, x->terms);
	}
	if (ie->type == PFCP_FORWARDING_PARAMETERS || ie->type == PFCP_UPDATE_FORWARDING_PARAMETERS)
		return read_group(r, ie, x->terms, take_parameters);
	return true;
}

static bool create_far(struct request *r, const struct pfcp_ie *ie)
{
	enum { UNKNOWN = 0xff };
	struct upf_rules *rules = r->rules;
	struct upf_far_terms terms = {.to = UNKNOWN};
	struct far_request x = {.terms = &terms};

	if (!read_id(r, ie, PFCP_FAR_ID, &terms.id) || !read_group(r, ie, &x, take_far))
		return false;
	if (!x.has_action)
		return refuse(r, PFCP_MANDATORY_IE_MISSING, PFCP_APPLY_ACTION, "a FAR has no action");
	if (terms.action == UPF_FORWARD && terms.to == UNKNOWN)
		return refuse(r, PFCP_CONDITIONAL_IE_MISSING, PFCP_FORWARDING_PARAMETERS, "a FAR forwards to nowhere");
	if (terms.to == UNKNOWN)
		terms.to = UPF_ACCESS; /* until an update says otherwise */
	if (rules->far_count == UPF_RULES_MAX)
		return refuse(r, PFCP_NO_RESOURCES, ie->type, "more than 32 FARs of a session");
	rules->fars[rules->far_count++] = terms;
	return true;
}

static bool update_far(struct request *r, const struct pfcp_ie *ie)
{
	uint32_t id;

	if (!read_id(r, ie, PFCP_FAR_ID, &id))
		return false;
	uint32_t at = upf_find_far(r->rules, id);
	if (at == r->rules->far_count)
		return refuse_rule(r, UPF_FAR, id, "is updated, and is not there");
	return read_group(r, ie, &(struct far_request){.terms = &r->rules->fars[at]}, take_far);
}

/* QoS. */

static uint32_t as_kbit(uint64_t number)
{
	return number >= UPF_UNLIMITED ? UPF_UNLIMITED : (uint32_t)number;
}

static bool take_qer(struct request *r, const struct pfcp_ie *ie, void *terms)
{
	struct upf_qer_terms *q = terms;

	switch (ie->type) {
	case PFCP_GATE_STATUS:
		if (!holds(r, ie, 1))
			return false;
		q->closed[UPF_UPLINK] = (ie->value[0] >> 2 & 3) != 0;
		q->closed[UPF_DOWNLINK] = (ie->value[0] & 3) != 0;
		return true;
	case PFCP_MBR:
		if (!holds(r, ie, 10))
			return false;
		q->kbit[UPF_UPLINK] = as_kbit(pfcp_number(ie->value, 5));
		q->kbit[UPF_DOWNLINK] = as_kbit(pfcp_number(ie->value + 5, 5));
		return true;
	case PFCP_QFI:
		if (!holds(r, ie, 1))
			return false;
		q->qfi = ie->value[0] & 0x3f;
		return true;
	default:
		return true;
	}
}

static bool create_qer(struct request *r, const struct pfcp_ie *ie)
{
	struct upf_rules *rules = r->rules;
	struct upf_qer_terms terms = {.kbit = {UPF_UNLIMITED, UPF_UNLIMITED}};

	if (!read_id(r, ie, PFCP_QER_ID, &terms.id) || !read_group(r, ie, &terms, take_qer))
		return false;
	if (rules->qer_count == UPF_RULES_MAX)
		return refuse(r, PFCP_NO_RESOURCES, ie->type, "more than 32 QERs of a session");
	rules->qers[rules->qer_count++] = terms;
	return true;
}

static bool update_qer(struct request *r, const struct pfcp_ie *ie)
{
	uint32_t id;

	if (!read_id(r, ie, PFCP_QER_ID, &id))
		return false;
	uint32_t at = upf_find_qer(r->rules, id);
	if (at == r->rules->qer_count)
		return refuse_rule(r, UPF_QER, id, "is updated, and is not there");
	return read_group(r, ie, &r->rules->qers[at], take_qer);
}

/* Usage. */

enum { HAS_TOTAL = 1, HAS_UPLINK = 2, HAS_DOWNLINK = 4 };

/* Volumes whose flags are set follow each other in this order. */
static bool read_volumes(struct request *r, const struct pfcp_ie *ie, uint64_t volumes[UPF_VOLUMES])
{
	static const struct {
		uint8_t flag;
		enum upf_volume volume;
	} fields[] = {{HAS_TOTAL, UPF_VOLUME_TOTAL}, {HAS_UPLINK, UPF_VOLUME_UPLINK}, {HAS_DOWNLINK, UPF_VOLUME_DOWNLINK}};
	uint32_t at = 1;

	if (!holds(r, ie, 1))
		return false;
	for (uint32_t i = 0; i < UPF_VOLUMES; i++) {
		volumes[fields[i].volume] = UPF_NO_VOLUME;
		if ((ie->value[0] & fields[i].flag) == 0)
			continue;
		if (!holds(r, ie, at + 8))
			return false;
		uint64_t volume = pfcp_number(ie->value + at, 8);
		if (volume == 0 || volume > UPF_NO_VOLUME / 2)
			return refuse(r, PFCP_MANDATORY_IE_INCORRECT, ie->type, "a volume is 0, or more than can be counted");
		volumes[fields[i].volume] = volume;
		at += 8;
	}
	return true;
}

static bool take_urr(struct request *r, const struct pfcp_ie *ie, void *terms)
{
	struct upf_urr_terms *u = terms;
	uint64_t quotas[UPF_VOLUMES];

	if (ie->type == PFCP_VOLUME_THRESHOLD)
		return read_volumes(r, ie, u->threshold);
	if (ie->type != PFCP_VOLUME_QUOTA)
		return true;
	if (!read_volumes(r, ie, quotas))
		return false;
	if (quotas[UPF_VOLUME_UPLINK] != UPF_NO_VOLUME || quotas[UPF_VOLUME_DOWNLINK] != UPF_NO_VOLUME)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "only quotas of the total volume are supported");
	u->quota = quotas[UPF_VOLUME_TOTAL];
	return true;
}

static bool create_urr(struct request *r, const struct pfcp_ie *ie)
{
	struct upf_rules *rules = r->rules;
	struct upf_urr_terms terms = {
		.threshold = {UPF_NO_VOLUME, UPF_NO_VOLUME, UPF_NO_VOLUME},
		.quota = UPF_NO_VOLUME,
	};

	if (!read_id(r, ie, PFCP_URR_ID, &terms.id) || !read_group(r, ie, &terms, take_urr))
		return false;
	if (rules->urr_count == UPF_RULES_MAX)
		return refuse(r, PFCP_NO_RESOURCES, ie->type, "more than 32 URRs of a session");
	rules->urrs[rules->urr_count++] = terms;
	return true;
}

static bool update_urr(struct request *r, const struct pfcp_ie *ie)
{
	uint32_t id;

	if (!read_id(r, ie, PFCP_URR_ID, &id))
		return false;
	uint32_t at = upf_find_urr(r->rules, id);
	if (at == r->rules->urr_count)
		return refuse_rule(r, UPF_URR, id, "is updated, and is not there");
	return read_group(r, ie, &r->rules->urrs[at], take_urr);
}

#define REMOVE(rules, kind, at) ((rules)->kind##s[at] = (rules)->kind##s[--(rules)->kind##_count])

static bool remove_rule(struct request *r, const struct pfcp_ie *ie, enum upf_kind kind)
{
	static const uint16_t types[] = {PFCP_PDR_ID, PFCP_FAR_ID, PFCP_QER_ID, PFCP_URR_ID};
	struct upf_rules *rules = r->rules;
	const uint32_t *counts[] = {&rules->pdr_count, &rules->far_count, &rules->qer_count, &rules->urr_count};
	uint32_t id;

	if (!read_id(r, ie, types[kind], &id))
		return false;
	const uint32_t places[] = {upf_find_pdr(rules, id), upf_find_far(rules, id), upf_find_qer(rules, id),
				   upf_find_urr(rules, id)};
	uint32_t at = places[kind];
	if (at == *counts[kind])
		return refuse_rule(r, kind, id, "is removed, and is not there");
	if (kind == UPF_PDR)
		REMOVE(rules, pdr, at);
	else if (kind == UPF_FAR)
		REMOVE(rules, far, at);
	else if (kind == UPF_QER)
		REMOVE(rules, qer, at);
	else
		REMOVE(rules, urr, at);
	return true;
}

static bool apply(struct request *r, const struct pfcp_ie *ie)
{
	switch (ie->type) {
	case PFCP_CREATE_PDR:
		return create_pdr(r, ie);
	case PFCP_CREATE_FAR:
		return create_far(r, ie);
	case PFCP_CREATE_QER:
		return create_qer(r, ie);
	case PFCP_CREATE_URR:
		return create_urr(r, ie);
	case PFCP_UPDATE_PDR:
		return update_pdr(r, ie);
	case PFCP_UPDATE_FAR:
		return update_far(r, ie);
	case PFCP_UPDATE_QER:
		return update_qer(r, ie);
	case PFCP_UPDATE_URR:
		return update_urr(r, ie);
	case PFCP_REMOVE_PDR:
		return remove_rule(r, ie, UPF_PDR);
	case PFCP_REMOVE_FAR:
		return remove_rule(r, ie, UPF_FAR);
	case PFCP_REMOVE_QER:
		return remove_rule(r, ie, UPF_QER);
	case PFCP_REMOVE_URR:
		return remove_rule(r, ie, UPF_URR);
	default:
		return true; /* what is not known is passed over (TS 29.244, 7.6) */
	}
}

bool pfcp_apply_rules(const uint8_t *body, uint32_t bytes, struct upf_rules *rules, struct pfcp_chooser *chooser,
		      struct pfcp_fault *fault)
{
	struct request r = {rules, chooser, fault};
	struct pfcp_reader reader = pfcp_reader(body, bytes);
	struct pfcp_ie ie;

	*fault = (struct pfcp_fault){.cause = PFCP_ACCEPTED};
	chooser->count = 0;
	while (pfcp_next(&reader, &ie))
		if (!apply(&r, &ie))
			return false;
	if (reader.broken)
		return refuse(&r, PFCP_INVALID_LENGTH, 0, "an element reaches beyond the message");
	if (upf_rules_check(rules, &fault->rule))
		return true;
	fault->cause = PFCP_RULE_FAILURE;
	return false;
}
