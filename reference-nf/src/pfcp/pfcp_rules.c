/* SPDX-License-Identifier: BSD-3-Clause */
#include "pfcp/pfcp_pdr.h"
#include "pfcp/pfcp_read.h"
#include "pfcp/pfcp_rules.h"

/* Forwarding actions. */

enum { ACTION_DROP = 1, ACTION_FORWARD = 2, ACTION_BUFFER = 4, ACTION_NOTIFY = 8, ACTION_DUPLICATE = 16 };

struct far_request {
	struct upf_far_terms *terms;
	bool has_action;
};

static bool read_action(struct pfcp_request *r, const struct pfcp_ie *ie, struct upf_far_terms *f)
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

static bool take_parameters(struct pfcp_request *r, const struct pfcp_ie *ie, void *terms)
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

static bool take_far(struct pfcp_request *r, const struct pfcp_ie *ie, void *terms)
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

static bool create_far(struct pfcp_request *r, const struct pfcp_ie *ie)
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

static bool update_far(struct pfcp_request *r, const struct pfcp_ie *ie)
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

static bool take_qer(struct pfcp_request *r, const struct pfcp_ie *ie, void *terms)
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

static bool create_qer(struct pfcp_request *r, const struct pfcp_ie *ie)
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

static bool update_qer(struct pfcp_request *r, const struct pfcp_ie *ie)
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
enum { TRIGGER_QUOTA = 1 }; /* of the second octet */

/* Volumes whose flags are set follow each other in this order. */
static bool read_volumes(struct pfcp_request *r, const struct pfcp_ie *ie, uint64_t volumes[UPF_VOLUMES])
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

static bool take_urr(struct pfcp_request *r, const struct pfcp_ie *ie, void *terms)
{
	struct upf_urr_terms *u = terms;
	uint64_t quotas[UPF_VOLUMES];

	if (ie->type == PFCP_VOLUME_THRESHOLD)
		return read_volumes(r, ie, u->threshold);
	if (ie->type == PFCP_REPORTING_TRIGGERS) {
		if (!holds(r, ie, 2))
			return false;
		u->reports_quota = (ie->value[1] & TRIGGER_QUOTA) != 0;
		return true;
	}
	if (ie->type != PFCP_VOLUME_QUOTA)
		return true;
	if (!read_volumes(r, ie, quotas))
		return false;
	if (quotas[UPF_VOLUME_UPLINK] != UPF_NO_VOLUME || quotas[UPF_VOLUME_DOWNLINK] != UPF_NO_VOLUME)
		return refuse(r, PFCP_NOT_SUPPORTED, ie->type, "only quotas of the total volume are supported");
	u->quota = quotas[UPF_VOLUME_TOTAL];
	u->granted = true;
	return true;
}

static bool create_urr(struct pfcp_request *r, const struct pfcp_ie *ie)
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

static bool update_urr(struct pfcp_request *r, const struct pfcp_ie *ie)
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

static bool remove_rule(struct pfcp_request *r, const struct pfcp_ie *ie, enum upf_kind kind)
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

static bool apply(struct pfcp_request *r, const struct pfcp_ie *ie)
{
	switch (ie->type) {
	case PFCP_CREATE_PDR:
		return pfcp_create_pdr(r, ie);
	case PFCP_CREATE_FAR:
		return create_far(r, ie);
	case PFCP_CREATE_QER:
		return create_qer(r, ie);
	case PFCP_CREATE_URR:
		return create_urr(r, ie);
	case PFCP_UPDATE_PDR:
		return pfcp_update_pdr(r, ie);
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
	struct pfcp_request r = {rules, chooser, fault};
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
