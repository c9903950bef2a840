/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all rules of a session message are read by. Each function is false where it refuses, and the request's fault then
 * says why.
 */
#ifndef PFCP_READ_H
#define PFCP_READ_H

#include <string.h>

#include "pfcp/pfcp_request.h"

static inline bool refuse(struct pfcp_request *r, enum pfcp_cause cause, uint16_t ie, const char *reason)
{
	r->fault->cause = cause;
	r->fault->ie = ie;
	r->fault->rule.reason = reason;
	return false;
}

static inline bool refuse_rule(struct pfcp_request *r, enum upf_kind kind, uint32_t id, const char *reason)
{
	*r->fault = (struct pfcp_fault){PFCP_RULE_FAILURE, 0, {reason, kind, id}};
	return false;
}

/* An element is as long as its fields, or longer: later versions of the protocol add to its end. */
static inline bool holds(struct pfcp_request *r, const struct pfcp_ie *ie, uint32_t bytes)
{
	return ie->bytes >= bytes || refuse(r, PFCP_INVALID_LENGTH, ie->type, "an element is shorter than its fields");
}

static inline bool read_number(struct pfcp_request *r, const struct pfcp_ie *ie, uint32_t bytes, uint32_t *number)
{
	if (!holds(r, ie, bytes))
		return false;
	*number = (uint32_t)pfcp_number(ie->value, bytes);
	return true;
}

/* Looks through a grouped element; each of what it holds goes to `take`. */
static inline bool read_group(struct pfcp_request *r, const struct pfcp_ie *group, void *terms,
		       bool (*take)(struct pfcp_request *r, const struct pfcp_ie *ie, void *terms))
{
	struct pfcp_reader reader = pfcp_reader(group->value, group->bytes);
	struct pfcp_ie ie;

	while (pfcp_next(&reader, &ie))
		if (!take(r, &ie, terms))
			return false;
	return !reader.broken || refuse(r, PFCP_INVALID_LENGTH, group->type, "an element reaches beyond its group");
}

/* The number that a rule's element names it by; 0 is none. */
static inline bool read_id(struct pfcp_request *r, const struct pfcp_ie *group, uint16_t type, uint32_t *id)
{
	struct pfcp_reader reader = pfcp_reader(group->value, group->bytes);
	struct pfcp_ie ie;

	while (pfcp_next(&reader, &ie))
		if (ie.type == type)
			return read_number(r, &ie, type == PFCP_PDR_ID ? 2 : 4, id) &&
			       (*id != 0 || refuse(r, PFCP_MANDATORY_IE_INCORRECT, type, "a rule has number 0"));
	return refuse(r, PFCP_MANDATORY_IE_MISSING, type, "a rule has no number");
}

/* The SMF itself is, like an access node, at the far end of a tunnel: it sends and gets router advertisements by it. */
static inline bool read_side(struct pfcp_request *r, const struct pfcp_ie *ie, uint8_t *side)
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

#endif
