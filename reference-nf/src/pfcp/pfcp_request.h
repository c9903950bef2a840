/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A session message whose rules are being applied.
 */
#ifndef PFCP_REQUEST_H
#define PFCP_REQUEST_H

#include "pfcp/pfcp.h"
#include "session/upf_rules.h"

/* Why a request is refused. */
struct pfcp_fault {
	enum pfcp_cause cause; /* PFCP_ACCEPTED: it is not */
	uint16_t ie;	       /* the offending one; 0: none */
	struct upf_refusal rule;
};

/* TEIDs that the UPF is asked to choose. */
struct pfcp_chooser {
	uint32_t (*choose)(void *arg); /* 0: none is left */
	void *arg;
	uint32_t n3; /* the address of this end, as in a packet */
	/* What was chosen in this message: by PDR, and by the identifier that PDRs share a TEID by. */
	uint32_t count;
	struct {
		uint32_t pdr, teid;
		int32_t id; /* -1: it shares with none */
	} chosen[UPF_RULES_MAX];
};

/* A request that is being applied. */
struct pfcp_request {
	struct upf_rules *rules;
	struct pfcp_chooser *chooser;
	struct pfcp_fault *fault;
};

#endif
