/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The UPF's end of N4 (3GPP TS 29.244): answers heartbeats, associations and session requests, and reports usage. Knows
 * nothing of sockets. docs/behaviour.md, N4.
 */
#ifndef PFCP_NODE_H
#define PFCP_NODE_H

#include "pfcp/pfcp_rules.h"
#include "session/upf_store.h"

#define PFCP_PEERS_MAX 16u
#define PFCP_REPLIES 64u /* remembered, for requests that come again */
#define PFCP_REPEATED_MS 30000u /* a request comes again within it: SMFs give up after a few attempts, seconds apart */

/* Whoever speaks: address and port as in a packet. */
struct pfcp_end {
	uint32_t address;
	uint16_t port;
};

/* An answer, and what it answers. A sequence number alone tells no request: a restarted SMF gives it again. */
struct pfcp_reply {
	struct pfcp_end to;
	uint64_t at_ms; /* when the request came first */
	uint64_t request; /* hash of its bytes */
	struct pfcp_writer message; /* no bytes: none is remembered */
};

/* What a session's SMF knows it by. */
struct pfcp_session {
	uint64_t seid;
	uint32_t address;
};

struct pfcp_node {
	struct upf_store *store;
	uint32_t n3, n4;    /* addresses as in a packet */
	uint32_t started;   /* seconds since 1900 */
	uint32_t next_teid, next_sequence;
	uint32_t peers[PFCP_PEERS_MAX]; /* addresses of those associated; 0: free */
	struct pfcp_session *sessions;	/* by place in the store */
	struct pfcp_reply *replies;
	uint32_t next_reply;
	struct pfcp_writer answer; /* that is being written */
	uint64_t done, refused; /* session requests */
};

/* started: seconds since 1970. false: no memory. */
bool pfcp_node_open(struct pfcp_node *node, struct upf_store *store, uint32_t n3, uint32_t n4, uint64_t started);
void pfcp_node_close(struct pfcp_node *node);

/* Handles a message. now_ms: of a clock that never steps back. NULL: there is nothing to answer; else the answer, good
 * until the next call. *fault says what became of a session request. */
const struct pfcp_writer *pfcp_node_receive(struct pfcp_node *node, struct pfcp_end from, const uint8_t *data, size_t bytes,
					    uint64_t now_ms, struct pfcp_fault *fault);

/* A request to report usage that is due, or packets that are not kept. false: there is nothing to report. */
bool pfcp_node_report(struct pfcp_node *node, struct pfcp_writer *message, struct pfcp_end *to);

#endif
