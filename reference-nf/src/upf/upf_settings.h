/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the stages of the user plane are configured with: [network] n3 and subscribers, and each stage's section.
 */
#ifndef UPF_SETTINGS_H
#define UPF_SETTINGS_H

#include "config/config.h"
#include "dpi/dpi_settings.h"
#include "session/upf_sessions_file.h"
#include "session/upf_store.h"
#include "session/upf_subscribers.h"

/* Of gtp_decap and far. */
struct upf_tunnel_settings {
	uint32_t n3; /* this end of the tunnels, as in a packet */
	bool handed_in; /* of gtp_decap: the NIC takes packets out of tunnels */
};

struct pdr_settings {
	struct upf_store_settings store;
	struct dpi_settings *policies; /* static ones, in file order */
	char *sessions_path;		   /* NULL: none */
	struct upf_session_text *sessions; /* of the file */
	uint32_t session_count;
	char *messages;	/* a capture of PFCP messages that are taken at the start; NULL: none */
	uint32_t n3, n4; /* this end of tunnels, and of PFCP, as in a packet; n4 0: no SMF may speak */
	bool generated; /* a session for each of the subscribers */
	struct upf_subscribers subscribers;
	uint32_t churn; /* sessions that end and begin again, a second */
};

/* Of qer and urr. */
struct qer_settings {
	uint32_t n3;
	uint64_t burst_ms; /* of qer */
};

#endif
