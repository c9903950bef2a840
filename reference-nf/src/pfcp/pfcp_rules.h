/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Session messages to rules: what a request creates, updates and removes, done on a copy of the session's rules. It is
 * the copy that is then put in force, or not, as a whole.
 */
#ifndef PFCP_RULES_H
#define PFCP_RULES_H

#include "pfcp/pfcp_request.h"

/* Applies the body of an establishment or modification request. false: *fault says why, and the rules are of no use. */
bool pfcp_apply_rules(const uint8_t *body, uint32_t bytes, struct upf_rules *rules, struct pfcp_chooser *chooser,
		      struct pfcp_fault *fault);

#endif
