/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "pfcp/pfcp_node.h"
#include "pfcp/pfcp_usage.h"
#include "session/upf_read_rules.h"
#include "session/upf_sessions.h"

#define SECONDS_1900_TO_1970 UINT64_C(2208988800)
#define FIRST_TEID 0x80000000u /* of those chosen here */
#define SEQUENCE_MAX 0xffffffu

bool pfcp_node_open(struct pfcp_node *n, struct upf_store *store, uint32_t n3, uint32_t n4, uint64_t started)
{
	*n = (struct pfcp_node){
		.store = store,
		.n3 = n3,
		.n4 = n4,
		.started = (uint32_t)(started + SECONDS_1900_TO_1970),
		.next_teid = FIRST_TEID,
	};
	n->sessions = calloc(store->settings.sessions, sizeof(*n->sessions));
	n->replies = calloc(PFCP_REPLIES, sizeof(*n->replies));
	if (n->sessions != NULL && n->replies != NULL)
		return true;
	pfcp_node_close(n);
	return false;
}

void pfcp_node_close(struct pfcp_node *n)
{
	free(n->sessions);
	free(n->replies);
	n->sessions = NULL;
	n->replies = NULL;
}

static struct pfcp_session *session_of(struct pfcp_node *n, uint64_t seid)
{
	return &n->sessions[(uint32_t)seid - 1];
}

/* Peers. */

static bool is_peer(const struct pfcp_node *n, uint32_t address)
{
	for (uint32_t i = 0; i < PFCP_PEERS_MAX; i++)
		if (n->peers[i] == address)
			return true;
	return false;
}

static bool add_peer(struct pfcp_node *n, uint32_t address)
{
	for (uint32_t i = 0; i < PFCP_PEERS_MAX; i++)
		if (n->peers[i] == 0 || n->peers[i] == address) {
			n->peers[i] = address;
			return true;
		}
	return false;
}

/* Ends what an SMF had: it begins anew, or leaves. */
static void end_sessions(struct pfcp_node *n, uint32_t peer)
{
	for (uint32_t i = 0; i < n->store->settings.sessions; i++)
		if (n->sessions[i].address == peer && n->store->sessions[i].used) {
			(void)upf_store_remove(n->store, upf_store_seid(n->store, i));
			n->sessions[i] = (struct pfcp_session){0};
		}
}

/* An SMF that begins anew counts from its first number again: what was answered before is no answer to it. */
static void forget_replies(struct pfcp_node *n, uint32_t peer)
{
	for (uint32_t i = 0; i < PFCP_REPLIES; i++)
		if (n->replies[i].to.address == peer)
			n->replies[i].message.bytes = 0;
}

/* Elements of answers. */

static void put_node_id(struct pfcp_writer *w, const struct pfcp_node *n)
{
	uint8_t value[5] = {0}; /* type 0: IPv4 */

	memcpy(value + 1, &n->n4, 4);
	pfcp_put(w, PFCP_NODE_ID, value, sizeof(value));
}

static void put_f_seid(struct pfcp_writer *w, const struct pfcp_node *n, uint64_t seid)
{
	uint8_t value[13] = {2}; /* IPv4 */

	for (uint32_t i = 0; i < 8; i++)
		value[1 + i] = (uint8_t)(seid >> (56 - 8 * i));
	memcpy(value + 9, &n->n4, 4);
	pfcp_put(w, PFCP_F_SEID, value, sizeof(value));
}

static void put_f_teid(struct pfcp_writer *w, const struct pfcp_node *n, uint32_t teid)
{
	uint8_t value[9] = {1}; /* IPv4 */
	uint32_t number = htonl(teid);

	memcpy(value + 1, &number, 4);
	memcpy(value + 5, &n->n3, 4);
	pfcp_put(w, PFCP_F_TEID, value, sizeof(value));
}

static void put_created(struct pfcp_writer *w, const struct pfcp_node *n, const struct pfcp_chooser *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t group = pfcp_open_group(w, PFCP_CREATED_PDR);
		pfcp_put_number(w, PFCP_PDR_ID, c->chosen[i].pdr, 2);
		put_f_teid(w, n, c->chosen[i].teid);
		pfcp_close_group(w, group);
	}
}

static void put_fault(struct pfcp_writer *w, const struct pfcp_fault *f)
{
	static const uint8_t kinds[] = {[UPF_PDR] = 0, [UPF_FAR] = 1, [UPF_QER] = 2, [UPF_URR] = 3};
	uint32_t id_bytes = f->rule.kind == UPF_PDR ? 2 : 4;
	uint8_t value[5] = {kinds[f->rule.kind]};

	pfcp_put_number(w, PFCP_CAUSE, f->cause, 1);
	if (f->ie != 0)
		pfcp_put_number(w, PFCP_OFFENDING_IE, f->ie, 2);
	if (f->cause != PFCP_RULE_FAILURE || f->rule.id == 0)
		return;
	for (uint32_t i = 0; i < id_bytes; i++)
		value[1 + i] = (uint8_t)(f->rule.id >> (8 * (id_bytes - 1 - i)));
	pfcp_put(w, PFCP_FAILED_RULE_ID, value, 1 + id_bytes);
}

/* The first element of the type at the top of the message. */
static bool find(const struct pfcp_header *h, uint16_t type, uint32_t bytes, struct pfcp_ie *ie)
{
	struct pfcp_reader reader = pfcp_reader(h->body, h->body_bytes);

	while (pfcp_next(&reader, ie))
		if (ie->type == type)
			return ie->bytes >= bytes;
	return false;
}

/* A request that is being answered. */
struct exchange {
	struct pfcp_node *node;
	const struct pfcp_header *header;
	struct pfcp_end from;
	struct pfcp_writer *reply;
	struct pfcp_fault *fault;
};

static bool refuse(struct exchange *x, enum pfcp_cause cause, uint16_t ie, const char *reason)
{
	*x->fault = (struct pfcp_fault){cause, ie, {reason, UPF_PDR, 0}};
	return false;
}

static void begin(struct exchange *x, uint8_t type)
{
	pfcp_begin(x->reply, type, false, 0, x->header->sequence);
}

static void answer_heartbeat(struct exchange *x)
{
	begin(x, PFCP_HEARTBEAT_RESPONSE);
	pfcp_put_number(x->reply, PFCP_RECOVERY_TIME_STAMP, x->node->started, 4);
}

static bool check_setup(struct exchange *x)
{
	struct pfcp_ie ie;

	if (!find(x->header, PFCP_NODE_ID, 1, &ie))
		return refuse(x, PFCP_MANDATORY_IE_MISSING, PFCP_NODE_ID, "the SMF does not tell who it is");
	if (!find(x->header, PFCP_RECOVERY_TIME_STAMP, 4, &ie))
		return refuse(x, PFCP_MANDATORY_IE_MISSING, PFCP_RECOVERY_TIME_STAMP, "no recovery time stamp");
	forget_replies(x->node, x->from.address);
	if (is_peer(x->node, x->from.address))
		end_sessions(x->node, x->from.address); /* it has begun anew (TS 29.244, 6.2.6.2.2) */
	return add_peer(x->node, x->from.address) || refuse(x, PFCP_NO_RESOURCES, 0, "too many SMFs");
}

static void answer_setup(struct exchange *x)
{
	static const uint8_t features[2] = {0x10, 0}; /* FTUP: TEIDs are chosen here if asked for */

	(void)check_setup(x);
	begin(x, PFCP_ASSOCIATION_SETUP_RESPONSE);
	put_node_id(x->reply, x->node);
	put_fault(x->reply, x->fault);
	pfcp_put_number(x->reply, PFCP_RECOVERY_TIME_STAMP, x->node->started, 4);
	pfcp_put(x->reply, PFCP_UP_FUNCTION_FEATURES, features, sizeof(features));
}

static void answer_release(struct exchange *x)
{
	if (is_peer(x->node, x->from.address)) {
		end_sessions(x->node, x->from.address);
		for (uint32_t i = 0; i < PFCP_PEERS_MAX; i++)
			if (x->node->peers[i] == x->from.address)
				x->node->peers[i] = 0;
	} else {
		(void)refuse(x, PFCP_NO_ASSOCIATION, 0, "no association");
	}
	begin(x, PFCP_ASSOCIATION_RELEASE_RESPONSE);
	put_node_id(x->reply, x->node);
	put_fault(x->reply, x->fault);
}

static uint32_t choose_teid(void *arg)
{
	struct pfcp_node *n = arg;

	for (uint32_t tries = 0; tries < n->store->settings.rules; tries++) {
		uint32_t teid = n->next_teid++ | FIRST_TEID;
		if (!upf_store_has_teid(n->store, teid))
			return teid;
	}
	return 0;
}

static bool change(struct exchange *x, struct upf_rules *rules, struct pfcp_chooser *c)
{
	*c = (struct pfcp_chooser){.choose = choose_teid, .arg = x->node, .n3 = x->node->n3};
	return pfcp_apply_rules(x->header->body, x->header->body_bytes, rules, c, x->fault);
}

/* What the store says of rules that are sound by themselves. */
static bool refuse_for_store(struct exchange *x)
{
	x->fault->cause = x->fault->rule.id != 0 ? PFCP_RULE_FAILURE : PFCP_NO_RESOURCES;
	x->fault->ie = 0;
	return false;
}

static bool establish(struct exchange *x, uint64_t *cp_seid, uint64_t *seid, struct pfcp_chooser *c)
{
	struct upf_rules rules = {0};
	struct pfcp_ie ie;

	if (!find(x->header, PFCP_F_SEID, 9, &ie))
		return refuse(x, PFCP_MANDATORY_IE_MISSING, PFCP_F_SEID, "the SMF's F-SEID is missing");
	*cp_seid = pfcp_number(ie.value + 1, 8);
	if (!is_peer(x->node, x->from.address))
		return refuse(x, PFCP_NO_ASSOCIATION, 0, "no association");
	if (!find(x->header, PFCP_NODE_ID, 1, &ie))
		return refuse(x, PFCP_MANDATORY_IE_MISSING, PFCP_NODE_ID, "the SMF does not tell who it is");
	if (!change(x, &rules, c))
		return false;
	if (rules.pdr_count == 0 || rules.far_count == 0)
		return refuse(x, PFCP_MANDATORY_IE_MISSING, rules.pdr_count == 0 ? PFCP_CREATE_PDR : PFCP_CREATE_FAR,
			      "a session has at least a PDR and a FAR");
	*seid = upf_store_establish(x->node->store, &rules, &x->fault->rule);
	if (*seid == 0)
		return refuse_for_store(x);
	*session_of(x->node, *seid) = (struct pfcp_session){*cp_seid, x->from.address};
	return true;
}

static void answer_establishment(struct exchange *x)
{
	uint64_t cp_seid = 0, seid = 0;
	struct pfcp_chooser chooser = {0};
	bool good = establish(x, &cp_seid, &seid, &chooser);

	pfcp_begin(x->reply, PFCP_SESSION_ESTABLISHMENT_RESPONSE, true, cp_seid, x->header->sequence);
	put_node_id(x->reply, x->node);
	put_fault(x->reply, x->fault);
	if (!good)
		return;
	put_f_seid(x->reply, x->node, seid);
	put_created(x->reply, x->node, &chooser);
}

/* The session that the header names, if it is this SMF's. */
static bool find_session(struct exchange *x, struct upf_rules *rules, uint64_t *cp_seid)
{
	uint64_t seid = x->header->seid;

	*cp_seid = 0;
	if (!upf_store_rules(x->node->store, seid, rules) || session_of(x->node, seid)->address != x->from.address)
		return refuse(x, PFCP_NO_SESSION, 0, "there is no such session");
	*cp_seid = session_of(x->node, seid)->seid;
	return true;
}

static bool modify(struct exchange *x, struct upf_rules *rules, uint64_t *cp_seid, struct pfcp_chooser *c)
{
	if (!find_session(x, rules, cp_seid) ||
	    !pfcp_check_queries(x->header->body, x->header->body_bytes, rules, x->fault) || !change(x, rules, c))
		return false;
	return upf_store_modify(x->node->store, x->header->seid, rules, &x->fault->rule) || refuse_for_store(x);
}

/* The usage of a URR that the session had before, where it is requested or the rules have no such URR. */
static void put_requested(struct exchange *x, const struct upf_rules *rules, uint32_t at)
{
	uint32_t id = x->node->store->urrs[at].id;
	bool ended = upf_find_urr(rules, id) == rules->urr_count;

	if (!ended && !pfcp_is_queried(x->header->body, x->header->body_bytes, id))
		return;
	struct upf_usage usage = upf_store_report(x->node->store, at);
	pfcp_put_usage(x->reply, PFCP_USAGE_REPORT_MODIFICATION, &usage,
		       ended ? PFCP_TRIGGER_ENDED : PFCP_TRIGGER_IMMEDIATE);
}

static void answer_modification(struct exchange *x)
{
	uint64_t cp_seid;
	uint32_t urrs[UPF_RULES_MAX], count = upf_store_urrs(x->node->store, x->header->seid, urrs);
	struct pfcp_chooser chooser = {0};
	struct upf_rules rules;
	bool good = modify(x, &rules, &cp_seid, &chooser);

	pfcp_begin(x->reply, PFCP_SESSION_MODIFICATION_RESPONSE, true, cp_seid, x->header->sequence);
	put_fault(x->reply, x->fault);
	if (!good)
		return;
	put_created(x->reply, x->node, &chooser);
	for (uint32_t i = 0; i < count; i++)
		put_requested(x, &rules, urrs[i]);
}

static void answer_deletion(struct exchange *x)
{
	uint32_t urrs[UPF_RULES_MAX], count = 0;
	struct upf_rules rules;
	uint64_t cp_seid, seid = x->header->seid;

	if (find_session(x, &rules, &cp_seid)) {
		count = upf_store_urrs(x->node->store, seid, urrs);
		(void)upf_store_remove(x->node->store, seid);
		*session_of(x->node, seid) = (struct pfcp_session){0};
	}
	pfcp_begin(x->reply, PFCP_SESSION_DELETION_RESPONSE, true, cp_seid, x->header->sequence);
	put_fault(x->reply, x->fault);
	for (uint32_t i = 0; i < count; i++) {
		struct upf_usage usage = upf_store_report(x->node->store, urrs[i]);
		pfcp_put_usage(x->reply, PFCP_USAGE_REPORT_DELETION, &usage, PFCP_TRIGGER_ENDED);
	}
}

static void count_session_request(struct exchange *x)
{
	if (x->fault->cause == PFCP_ACCEPTED)
		x->node->done++;
	else
		x->node->refused++;
}

/* false: there is nothing to answer. */
static bool answer(struct exchange *x)
{
	switch (x->header->type) {
	case PFCP_HEARTBEAT_REQUEST:
		answer_heartbeat(x);
		return true;
	case PFCP_ASSOCIATION_SETUP_REQUEST:
		answer_setup(x);
		return true;
	case PFCP_ASSOCIATION_RELEASE_REQUEST:
		answer_release(x);
		return true;
	case PFCP_SESSION_ESTABLISHMENT_REQUEST:
		answer_establishment(x);
		break;
	case PFCP_SESSION_MODIFICATION_REQUEST:
		answer_modification(x);
		break;
	case PFCP_SESSION_DELETION_REQUEST:
		answer_deletion(x);
		break;
	default:
		return false;
	}
	count_session_request(x);
	return true;
}

static uint64_t hash_of(const uint8_t *data, size_t bytes)
{
	uint64_t hash = bytes;

	for (size_t i = 0; i < bytes; i++)
		hash = mix64(hash ^ data[i]);
	return hash;
}

static struct pfcp_reply *find_reply(struct pfcp_node *n, struct pfcp_end from, uint64_t request, uint64_t now_ms)
{
	for (uint32_t i = 0; i < PFCP_REPLIES; i++) {
		struct pfcp_reply *r = &n->replies[i];
		if (r->message.bytes != 0 && r->to.address == from.address && r->to.port == from.port &&
		    r->request == request && now_ms - r->at_ms <= PFCP_REPEATED_MS)
			return r;
	}
	return NULL;
}

const struct pfcp_writer *pfcp_node_receive(struct pfcp_node *n, struct pfcp_end from, const uint8_t *data, size_t bytes,
					    uint64_t now_ms, struct pfcp_fault *fault)
{
	struct pfcp_header header;

	*fault = (struct pfcp_fault){.cause = PFCP_ACCEPTED};
	if (!pfcp_read_header(data, bytes, &header)) {
		*fault = (struct pfcp_fault){PFCP_INVALID_LENGTH, 0, {"no message: its lengths contradict each other", UPF_PDR, 0}};
		return NULL;
	}
	uint64_t request = hash_of(data, bytes);
	/* Any number of heartbeats changes nothing, and takes no answer of a request that did. */
	bool remembers = header.version == 1 && header.type != PFCP_HEARTBEAT_REQUEST;
	struct pfcp_reply *again = remembers ? find_reply(n, from, request, now_ms) : NULL;
	if (again != NULL)
		return &again->message; /* the answer was lost (TS 29.244, 6.4) */
	struct exchange x = {n, &header, from, &n->answer, fault};
	if (header.version != 1)
		begin(&x, PFCP_VERSION_NOT_SUPPORTED);
	else if (!answer(&x))
		return NULL;
	pfcp_end(&n->answer);
	if (!remembers)
		return &n->answer;
	struct pfcp_reply *r = &n->replies[n->next_reply];
	*r = (struct pfcp_reply){from, now_ms, request, n->answer};
	n->next_reply = (n->next_reply + 1) % PFCP_REPLIES;
	return &r->message;
}

enum { REPORT_DOWNLINK_DATA = 1, REPORT_USAGE = 2 };

/* false: the session has ended, or no SMF has set it up. */
static bool begin_report(struct pfcp_node *n, struct pfcp_writer *w, struct pfcp_end *to, uint64_t seid, uint8_t type)
{
	const struct pfcp_session *s = session_of(n, seid);

	if (upf_store_place(n->store, seid) == UPF_NONE || s->address == 0)
		return false;
	*to = (struct pfcp_end){s->address, htons(PFCP_PORT)};
	pfcp_begin(w, PFCP_SESSION_REPORT_REQUEST, true, s->seid, n->next_sequence++ & SEQUENCE_MAX);
	pfcp_put_number(w, PFCP_REPORT_TYPE, type, 1);
	return true;
}

bool pfcp_node_report(struct pfcp_node *n, struct pfcp_writer *w, struct pfcp_end *to)
{
	struct upf_usage usage;
	uint64_t seid;
	uint32_t pdr;

	while (upf_store_next_report(n->store, &seid, &usage)) {
		if (!begin_report(n, w, to, seid, REPORT_USAGE))
			continue;
		pfcp_put_usage(w, PFCP_USAGE_REPORT_REQUEST, &usage,
			       usage.quota_used ? PFCP_TRIGGER_QUOTA : PFCP_TRIGGER_VOLUME);
		pfcp_end(w);
		return true;
	}
	while (upf_store_next_arrival(n->store, &seid, &pdr)) {
		if (!begin_report(n, w, to, seid, REPORT_DOWNLINK_DATA))
			continue;
		uint32_t group = pfcp_open_group(w, PFCP_DOWNLINK_DATA_REPORT);
		pfcp_put_number(w, PFCP_PDR_ID, pdr, 2);
		pfcp_close_group(w, group);
		pfcp_end(w);
		return true;
	}
	return false;
}
