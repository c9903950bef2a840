/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sessions that are there at the start, as text: docs/behaviour.md has its lines.
 */
#ifndef UPF_SESSIONS_FILE_H
#define UPF_SESSIONS_FILE_H

#include "config/config.h"
#include "session/upf_rules.h"

struct upf_session_text {
	uint32_t line; /* where it begins */
	struct upf_rules rules;
};

/* All sessions of the file, to be freed by the caller; mistakes go to config. NULL: no memory, or no session. */
struct upf_session_text *upf_read_sessions(struct config *config, const char *section, const char *key, uint32_t *count);

#endif
