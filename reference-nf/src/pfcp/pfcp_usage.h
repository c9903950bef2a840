/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Usage reports in messages, and the URRs whose usage a modification requests.
 */
#ifndef PFCP_USAGE_H
#define PFCP_USAGE_H

#include "pfcp/pfcp_request.h"
#include "session/upf_usage.h"

/* Why a report is due: the three octets of the Usage Report Trigger (3GPP TS 29.244, 8.2.41). */
enum pfcp_trigger {
	PFCP_TRIGGER_VOLUME = 0x020000,	   /* VOLTH */
	PFCP_TRIGGER_IMMEDIATE = 0x800000, /* IMMER */
	PFCP_TRIGGER_QUOTA = 0x000100,	   /* VOLQU */
	PFCP_TRIGGER_ENDED = 0x000800,	   /* TERMR */
};

/* type: of the report's element, by the message that it is in. */
void pfcp_put_usage(struct pfcp_writer *writer, uint16_t type, const struct upf_usage *usage,
		    enum pfcp_trigger trigger);

/* Whether each Query URR element of a modification names a URR of the session. rules: before the modification.
 * false: *fault says why. */
bool pfcp_check_queries(const uint8_t *body, uint32_t bytes, const struct upf_rules *rules,
			struct pfcp_fault *fault);

/* Whether a modification whose queries are sound requests the usage of the URR, by its number or with all. */
bool pfcp_is_queried(const uint8_t *body, uint32_t bytes, uint32_t urr);

#endif
