/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>

#include "check.h"
#include "pfcp/pfcp_node.h"
#include "session/upf_read_rules.h"
#include "session/upf_sessions.h"
#include "session/upf_usage.h"
#include "stage_fixture.h"

#define N3 IP(192, 0, 2, 254)

static struct pfcp_node node;
static struct pfcp_writer request;
static const struct pfcp_writer *reply;
static struct pfcp_fault fault;
static struct pfcp_end smf;
static uint32_t sequence;
static uint64_t now_ms;

static void open_node(void)
{
	const struct upf_store_settings settings = {.sessions = 8, .rules = 200, .filters = 64};
	const struct stage_place place = {.count = 1, .socket = (int)rte_socket_id()};

	smf = (struct pfcp_end){htonl(IP(127, 0, 0, 2)), htons(PFCP_PORT)};
	CHECK(pfcp_node_open(&node, upf_store_create(&settings, &place), htonl(N3), htonl(IP(127, 0, 0, 1)), 1000));
}

static void close_node(void)
{
	pfcp_node_close(&node);
	upf_store_destroy(upf_store_running());
}

static void begin(uint8_t type, bool has_seid, uint64_t seid)
{
	pfcp_begin(&request, type, has_seid, seid, ++sequence);
}

static void send_request(void)
{
	pfcp_end(&request);
	reply = pfcp_node_receive(&node, smf, request.data, request.bytes, now_ms, &fault);
}

static struct pfcp_header reply_header(void)
{
	struct pfcp_header h;

	CHECK(reply != NULL && pfcp_read_header(reply->data, reply->bytes, &h));
	CHECK_EQUAL(h.sequence, sequence);
	return h;
}

/* The first element of the type in the answer. */
static bool answered(uint16_t type, struct pfcp_ie *ie)
{
	struct pfcp_header h = reply_header();
	struct pfcp_reader reader = pfcp_reader(h.body, h.body_bytes);

	while (pfcp_next(&reader, ie))
		if (ie->type == type)
			return true;
	CHECK(!reader.broken);
	return false;
}

static uint8_t cause(void)
{
	struct pfcp_ie ie;

	CHECK(answered(PFCP_CAUSE, &ie));
	CHECK_EQUAL(ie.value[0], fault.cause);
	return ie.value[0];
}

static void put_node_id(void)
{
	static const uint8_t id[] = {0, 127, 0, 0, 2};
	pfcp_put(&request, PFCP_NODE_ID, id, sizeof(id));
}

/* started: the SMF's recovery time stamp. */
static void associate_since(uint32_t started)
{
	begin(PFCP_ASSOCIATION_SETUP_REQUEST, false, 0);
	put_node_id();
	pfcp_put_number(&request, PFCP_RECOVERY_TIME_STAMP, started, 4);
	send_request();
	CHECK_EQUAL(cause(), PFCP_ACCEPTED);
}

static void associate(void)
{
	associate_since(5);
}

static void put_f_teid(uint32_t teid)
{
	uint8_t value[9] = {1};

	put32(value + 1, teid);
	put32(value + 5, N3);
	pfcp_put(&request, PFCP_F_TEID, value, sizeof(value));
}

/* teid 0: to be chosen. */
static void put_uplink(uint16_t create, uint32_t id, uint32_t teid, const char *filter)
{
	static const uint8_t choose[] = {5};
	uint8_t sdf[128] = {1};
	uint32_t group = pfcp_open_group(&request, create), pdi;

	pfcp_put_number(&request, PFCP_PDR_ID, id, 2);
	pfcp_put_number(&request, PFCP_PRECEDENCE, 100 + id, 4);
	pdi = pfcp_open_group(&request, PFCP_PDI);
	if (filter != NULL) { /* before the source interface, which says how to read it */
		put16(sdf + 2, (uint16_t)strlen(filter));
		memcpy(sdf + 4, filter, strlen(filter));
		for (uint32_t i = 0; i < 2; i++)
			pfcp_put(&request, PFCP_SDF_FILTER, sdf, (uint32_t)(4 + strlen(filter)));
	}
	pfcp_put_number(&request, PFCP_SOURCE_INTERFACE, 0, 1);
	if (teid != 0)
		put_f_teid(teid);
	else
		pfcp_put(&request, PFCP_F_TEID, choose, sizeof(choose));
	pfcp_close_group(&request, pdi);
	pfcp_put_number(&request, PFCP_OUTER_HEADER_REMOVAL, 0, 1);
	pfcp_put_number(&request, PFCP_FAR_ID, 1, 4);
	pfcp_put_number(&request, PFCP_URR_ID, 1, 4);
	pfcp_put_number(&request, PFCP_QER_ID, 1, 4);
	pfcp_close_group(&request, group);
}

static void put_downlink(uint32_t id, uint32_t address)
{
	uint8_t ue[5] = {6};
	uint32_t group = pfcp_open_group(&request, PFCP_CREATE_PDR), pdi;

	put32(ue + 1, address);
	pfcp_put_number(&request, PFCP_PDR_ID, id, 2);
	pfcp_put_number(&request, PFCP_PRECEDENCE, 255, 4);
	pdi = pfcp_open_group(&request, PFCP_PDI);
	pfcp_put_number(&request, PFCP_SOURCE_INTERFACE, 1, 1);
	pfcp_put(&request, PFCP_UE_IP_ADDRESS, ue, sizeof(ue));
	pfcp_close_group(&request, pdi);
	pfcp_put_number(&request, PFCP_FAR_ID, 2, 4);
	pfcp_close_group(&request, group);
}

static void put_far(uint32_t id, uint8_t action, uint8_t to)
{
	uint32_t group = pfcp_open_group(&request, PFCP_CREATE_FAR);

	pfcp_put_number(&request, PFCP_FAR_ID, id, 4);
	pfcp_put_number(&request, PFCP_APPLY_ACTION, action, 1);
	if (action == 2) {
		uint32_t parameters = pfcp_open_group(&request, PFCP_FORWARDING_PARAMETERS);
		pfcp_put_number(&request, PFCP_DESTINATION_INTERFACE, to, 1);
		pfcp_close_group(&request, parameters);
	}
	pfcp_close_group(&request, group);
}

static void put_limits(void)
{
	uint8_t mbr[10] = {0, 0, 0, 1, 0, 0, 0, 0, 2, 0}, threshold[9] = {1, 0, 0, 0, 0, 0, 0, 3, 0xe8};
	uint32_t group = pfcp_open_group(&request, PFCP_CREATE_QER);

	pfcp_put_number(&request, PFCP_QER_ID, 1, 4);
	pfcp_put_number(&request, PFCP_GATE_STATUS, 4, 1); /* uplink closed */
	pfcp_put(&request, PFCP_MBR, mbr, sizeof(mbr));
	pfcp_put_number(&request, PFCP_QFI, 9, 1);
	pfcp_close_group(&request, group);
	group = pfcp_open_group(&request, PFCP_CREATE_URR);
	pfcp_put_number(&request, PFCP_URR_ID, 1, 4);
	pfcp_put(&request, PFCP_VOLUME_THRESHOLD, threshold, sizeof(threshold));
	pfcp_close_group(&request, group);
}

static void put_f_seid(uint64_t seid)
{
	uint8_t value[13] = {2};

	put32(value + 5, (uint32_t)seid);
	put32(value + 9, IP(127, 0, 0, 2));
	pfcp_put(&request, PFCP_F_SEID, value, sizeof(value));
}

/* As an SMF sets up a PDU session: the access side's tunnel is not known yet, downlink packets have nowhere to go. */
static uint64_t establish(uint32_t teid, uint32_t address)
{
	struct pfcp_ie ie;

	begin(PFCP_SESSION_ESTABLISHMENT_REQUEST, true, 0);
	put_node_id();
	put_f_seid(77);
	put_uplink(PFCP_CREATE_PDR, 1, teid, NULL);
	put_downlink(2, address);
	put_far(1, 2, 1);
	put_far(2, 12, 0);
	put_limits();
	send_request();
	if (cause() != PFCP_ACCEPTED)
		return 0;
	CHECK_EQUAL(reply_header().seid, 77);
	CHECK(answered(PFCP_F_SEID, &ie));
	return pfcp_number(ie.value + 1, 8);
}

static void heartbeats_and_associations(void)
{
	struct pfcp_ie ie;

	open_node();
	begin(PFCP_HEARTBEAT_REQUEST, false, 0);
	send_request();
	CHECK_EQUAL(reply_header().type, PFCP_HEARTBEAT_RESPONSE);
	CHECK(answered(PFCP_RECOVERY_TIME_STAMP, &ie));
	CHECK_EQUAL(pfcp_number(ie.value, 4), UINT32_C(2208988800) + 1000);
	CHECK_EQUAL(establish(5, 6), 0);
	CHECK_EQUAL(fault.cause, PFCP_NO_ASSOCIATION);
	begin(PFCP_ASSOCIATION_SETUP_REQUEST, false, 0);
	put_node_id();
	send_request();
	CHECK_EQUAL(cause(), PFCP_MANDATORY_IE_MISSING);
	associate();
	CHECK(establish(5, 6) != 0);
	associate(); /* the SMF has begun anew */
	CHECK_EQUAL(upf_store_sessions(node.store), 0);
	begin(PFCP_ASSOCIATION_RELEASE_REQUEST, false, 0);
	put_node_id();
	send_request();
	CHECK_EQUAL(cause(), PFCP_ACCEPTED);
	CHECK_EQUAL(establish(5, 6), 0);
	close_node();
}

static void a_session_from_begin_to_end(void)
{
	static const uint8_t tunnel[] = {1, 0, 0, 0, 0x12, 0x34, 192, 0, 2, 1};
	struct upf_rules rules;
	struct pfcp_ie ie;

	open_node();
	associate();
	uint64_t seid = establish(0x1001, IP(10, 10, 1, 11));
	CHECK(upf_store_rules(node.store, seid, &rules));
	CHECK_EQUAL(rules.pdr_count, 2);
	const struct upf_far_terms *down = &rules.fars[upf_find_far(&rules, 2)];
	CHECK(down->action == UPF_BUFFER && down->notify);
	const struct upf_qer_terms *qer = &rules.qers[0];
	CHECK(qer->closed[UPF_UPLINK] && !qer->closed[UPF_DOWNLINK] && qer->qfi == 9);
	CHECK(qer->kbit[UPF_UPLINK] == 256 && qer->kbit[UPF_DOWNLINK] == 512);
	CHECK_EQUAL(rules.urrs[0].threshold[UPF_VOLUME_TOTAL], 1000);
	begin(PFCP_SESSION_MODIFICATION_REQUEST, true, seid);
	uint32_t far = pfcp_open_group(&request, PFCP_UPDATE_FAR);
	pfcp_put_number(&request, PFCP_FAR_ID, 2, 4);
	pfcp_put_number(&request, PFCP_APPLY_ACTION, 2, 1);
	uint32_t parameters = pfcp_open_group(&request, PFCP_UPDATE_FORWARDING_PARAMETERS);
	pfcp_put_number(&request, PFCP_DESTINATION_INTERFACE, 0, 1);
	pfcp_put(&request, PFCP_OUTER_HEADER_CREATION, tunnel, sizeof(tunnel));
	pfcp_close_group(&request, parameters);
	pfcp_close_group(&request, far);
	send_request();
	CHECK_EQUAL(cause(), PFCP_ACCEPTED);
	CHECK(upf_store_rules(node.store, seid, &rules));
	down = &rules.fars[upf_find_far(&rules, 2)];
	CHECK(down->action == UPF_FORWARD && down->teid == 0x1234 && down->peer == htonl(IP(192, 0, 2, 1)));
	begin(PFCP_SESSION_DELETION_REQUEST, true, seid);
	send_request();
	CHECK_EQUAL(cause(), PFCP_ACCEPTED);
	CHECK(answered(PFCP_USAGE_REPORT_DELETION, &ie));
	CHECK_EQUAL(upf_store_sessions(node.store), 0);
	begin(PFCP_SESSION_DELETION_REQUEST, true, seid);
	send_request();
	CHECK_EQUAL(cause(), PFCP_NO_SESSION);
	close_node();
}

static void teids_are_chosen(void)
{
	struct pfcp_ie ie, teid;

	open_node();
	associate();
	CHECK(establish(0, IP(10, 0, 0, 1)) != 0);
	CHECK(answered(PFCP_CREATED_PDR, &ie));
	struct pfcp_reader reader = pfcp_reader(ie.value, ie.bytes);
	CHECK(pfcp_next(&reader, &teid) && teid.type == PFCP_PDR_ID && pfcp_next(&reader, &teid));
	CHECK_EQUAL(teid.type, PFCP_F_TEID);
	uint32_t chosen = get32(teid.value + 1);
	CHECK(upf_store_has_teid(node.store, chosen));
	CHECK_EQUAL(get32(teid.value + 5), N3);
	CHECK_EQUAL(establish(chosen, IP(10, 0, 0, 2)), 0);
	CHECK_EQUAL(fault.cause, PFCP_RULE_FAILURE);
	close_node();
}

/* A request that comes again, because its answer was lost, gets the same answer, and is done once. */
static void requests_that_come_again(void)
{
	open_node();
	associate();
	uint64_t seid = establish(9, 10);
	uint32_t bytes = reply->bytes;
	send_request();
	CHECK(seid != 0 && reply->bytes == bytes);
	CHECK_EQUAL(upf_store_sessions(node.store), 1);
	CHECK_EQUAL(node.done, 1);
	close_node();
}

/* Any number of heartbeats, and of messages without an answer, takes no answer of a session request. */
static void requests_that_come_again_behind_heartbeats(void)
{
	static struct pfcp_writer first;

	open_node();
	associate();
	CHECK(establish(9, 10) != 0);
	first = request;
	for (uint32_t i = 0; i < 2 * PFCP_REPLIES; i++) {
		begin(i % 2 == 0 ? PFCP_HEARTBEAT_REQUEST : PFCP_SESSION_REPORT_RESPONSE, false, 0);
		send_request();
		CHECK_EQUAL(reply != NULL, i % 2 == 0);
	}
	CHECK(pfcp_node_receive(&node, smf, first.data, first.bytes, now_ms, &fault) != NULL);
	CHECK_EQUAL(fault.cause, PFCP_ACCEPTED);
	CHECK_EQUAL(node.done, 1);
	CHECK_EQUAL(node.refused, 0);
	close_node();
}

/* It gives its sequence numbers anew, at once: what was answered before is no answer to it. */
static void an_smf_that_begins_again(void)
{
	open_node();
	sequence = 0;
	associate_since(100);
	uint64_t before = establish(0x1011, IP(10, 0, 0, 1));
	sequence = 0;
	associate_since(777);
	CHECK_EQUAL(upf_store_sessions(node.store), 0);
	uint64_t after = establish(0x1099, IP(10, 0, 0, 2));
	CHECK(after != 0 && after != before);
	CHECK(upf_store_has_teid(node.store, 0x1099) && !upf_store_has_teid(node.store, 0x1011));
	sequence = 0;
	associate_since(778);
	CHECK_EQUAL(upf_store_sessions(node.store), 0);
	CHECK(establish(0x1099, IP(10, 0, 0, 2)) != 0); /* the same bytes as before */
	CHECK_EQUAL(upf_store_sessions(node.store), 1);
	CHECK_EQUAL(node.done, 3);
	close_node();
}

/* Another request of the same number, and the same one after a time in which no SMF repeats it. */
static void numbers_that_come_again(void)
{
	open_node();
	associate();
	CHECK(establish(9, 10) != 0);
	sequence--;
	CHECK(establish(11, 12) != 0);
	CHECK_EQUAL(upf_store_sessions(node.store), 2);
	now_ms += PFCP_REPEATED_MS;
	send_request();
	CHECK_EQUAL(cause(), PFCP_ACCEPTED);
	now_ms++;
	send_request();
	CHECK_EQUAL(cause(), PFCP_RULE_FAILURE); /* it is done again, and its TEID is taken */
	CHECK_EQUAL(node.done, 2);
	close_node();
}

static void refused_as_a_whole(void)
{
	struct upf_rules before, after;
	struct pfcp_ie ie;

	open_node();
	associate();
	uint64_t seid = establish(9, 10);
	CHECK(upf_store_rules(node.store, seid, &before));
	begin(PFCP_SESSION_MODIFICATION_REQUEST, true, seid);
	put_uplink(PFCP_CREATE_PDR, 3, 20, "permit out 17 from any 53 to assigned"); /* good, but what follows is not */
	uint32_t group = pfcp_open_group(&request, PFCP_REMOVE_FAR);
	pfcp_put_number(&request, PFCP_FAR_ID, 1, 4);
	pfcp_close_group(&request, group);
	send_request();
	CHECK_EQUAL(cause(), PFCP_RULE_FAILURE);
	CHECK(answered(PFCP_FAILED_RULE_ID, &ie));
	CHECK(upf_store_rules(node.store, seid, &after));
	CHECK(memcmp(&before, &after, sizeof(before)) == 0);
	begin(PFCP_SESSION_MODIFICATION_REQUEST, true, seid);
	put_uplink(PFCP_CREATE_PDR, 3, 20, "permit out 17 from any 53 to somewhere");
	send_request();
	CHECK_EQUAL(cause(), PFCP_MANDATORY_IE_INCORRECT);
	CHECK(answered(PFCP_OFFENDING_IE, &ie));
	CHECK_EQUAL(pfcp_number(ie.value, 2), PFCP_SDF_FILTER);
	CHECK(!upf_store_has_teid(node.store, 20));
	smf.address = htonl(IP(127, 0, 0, 3)); /* another SMF's session is none of its business */
	associate();
	begin(PFCP_SESSION_DELETION_REQUEST, true, seid);
	send_request();
	CHECK_EQUAL(cause(), PFCP_NO_SESSION);
	CHECK_EQUAL(upf_store_sessions(node.store), 1);
	close_node();
}

/* Every length of a request, in memory of exactly that size; nothing of it is done unless it is whole. */
static void requests_cut_short(void)
{
	open_node();
	associate();
	uint64_t seid = establish(9, 10);
	CHECK(seid != 0);
	uint32_t whole = request.bytes;
	for (uint32_t bytes = 0; bytes < whole; bytes++) {
		uint8_t *data = malloc(bytes + 1);
		memcpy(data, request.data, bytes);
		if (bytes >= 8) {
			put16(data + 2, (uint16_t)(bytes - 4));
		}
		if (bytes >= 16)
			put16(data + 12, (uint16_t)(0x8000 | bytes)); /* a sequence number of its own */
		(void)pfcp_node_receive(&node, smf, data, bytes, now_ms, &fault);
		free(data);
		CHECK(fault.cause != PFCP_ACCEPTED);
		CHECK_EQUAL(upf_store_sessions(node.store), 1);
	}
	close_node();
}

static void reports(void)
{
	struct pfcp_writer message;
	struct pfcp_end to;
	struct pfcp_header h;

	open_node();
	associate();
	uint64_t seid = establish(9, 10);
	struct upf_store *s = node.store;
	uint32_t urr = s->sessions[(uint32_t)seid - 1].urrs;
	CHECK(!pfcp_node_report(&node, &message, &to));
	s->urrs[urr].bytes[UPF_UPLINK] = 1000;
	CHECK(rte_ring_sp_enqueue(s->reports[0], upf_reference(urr, s->urrs[urr].epoch)) == 0);
	CHECK(pfcp_node_report(&node, &message, &to));
	CHECK(pfcp_read_header(message.data, message.bytes, &h));
	CHECK_EQUAL(h.type, PFCP_SESSION_REPORT_REQUEST);
	CHECK_EQUAL(h.seid, 77);
	CHECK_EQUAL(to.address, smf.address);
	CHECK_EQUAL(to.port, htons(PFCP_PORT));
	close_node();
}

/* What lcores report just after a session ended is of no session that has the place then. */
static void reports_of_a_session_that_ended(void)
{
	uint32_t urr, pdrs[UPF_RULES_MAX], count = 0;
	struct pfcp_writer message;
	struct pfcp_end to;

	open_node();
	associate();
	struct upf_store *s = node.store;
	uint64_t seid = establish(9, 10);
	const struct upf_session *session = &s->sessions[(uint32_t)seid - 1];
	urr = session->urrs;
	for (uint32_t at = session->pdrs; at != UPF_NONE; at = s->origins[at].sibling)
		pdrs[count++] = at;
	begin(PFCP_SESSION_DELETION_REQUEST, true, seid);
	send_request();
	s->urrs[urr].bytes[UPF_UPLINK] += 5000;
	CHECK(rte_ring_sp_enqueue(s->reports[0], upf_reference(urr, s->urrs[urr].epoch)) == 0);
	for (uint32_t i = 0; i < count; i++)
		CHECK(rte_ring_sp_enqueue(s->arrivals[0], upf_reference(pdrs[i], s->pdrs[pdrs[i]].epoch)) == 0);
	begin(PFCP_SESSION_ESTABLISHMENT_REQUEST, true, 0);
	put_node_id();
	put_f_seid(88);
	put_downlink(2, 11);
	put_far(2, 1, 0);
	send_request();
	CHECK_EQUAL(cause(), PFCP_ACCEPTED);
	CHECK(!pfcp_node_report(&node, &message, &to));
	close_node();
}

/* A modification that begins with the element of a rule. */
static uint32_t begin_change(uint64_t seid, uint16_t type, uint16_t id_type, uint32_t id)
{
	begin(PFCP_SESSION_MODIFICATION_REQUEST, true, seid);
	uint32_t group = pfcp_open_group(&request, type);
	pfcp_put_number(&request, id_type, id, id_type == PFCP_PDR_ID ? 2 : 4);
	return group;
}

/* Its cause. */
static uint8_t end_change(uint32_t group)
{
	pfcp_close_group(&request, group);
	send_request();
	return cause();
}

static void rules_that_are_named_twice(void)
{
	static const uint16_t kinds[] = {PFCP_QER_ID, PFCP_URR_ID};
	struct pfcp_ie ie;

	open_node();
	associate();
	uint64_t seid = establish(9, 10);
	for (uint32_t k = 0; k < RTE_DIM(kinds); k++) {
		uint32_t group = begin_change(seid, PFCP_UPDATE_PDR, PFCP_PDR_ID, 1);
		pfcp_put_number(&request, kinds[k], 1, 4);
		pfcp_put_number(&request, kinds[k], 1, 4);
		CHECK_EQUAL(end_change(group), PFCP_RULE_FAILURE);
		CHECK(answered(PFCP_FAILED_RULE_ID, &ie));
		CHECK_EQUAL(pfcp_number(ie.value, 3), 1); /* PDR 1 */
	}
	close_node();
}

static void tunnels_to_the_core(void)
{
	static const uint8_t tunnel[] = {1, 0, 0, 0, 0x12, 0x34, 192, 0, 2, 1};
	struct pfcp_ie ie;

	open_node();
	associate();
	uint64_t seid = establish(9, 10);
	for (uint8_t action = 2; action <= 4; action += 2) { /* forward, buffer */
		uint32_t far = begin_change(seid, PFCP_UPDATE_FAR, PFCP_FAR_ID, 1);
		pfcp_put_number(&request, PFCP_APPLY_ACTION, action, 1);
		uint32_t parameters = pfcp_open_group(&request, PFCP_UPDATE_FORWARDING_PARAMETERS);
		pfcp_put(&request, PFCP_OUTER_HEADER_CREATION, tunnel, sizeof(tunnel));
		pfcp_put_number(&request, PFCP_DESTINATION_INTERFACE, 1, 1);
		pfcp_close_group(&request, parameters);
		CHECK_EQUAL(end_change(far), PFCP_RULE_FAILURE);
		CHECK(answered(PFCP_FAILED_RULE_ID, &ie));
		CHECK_EQUAL(pfcp_number(ie.value, 5), UINT64_C(1) << 32 | 1); /* FAR 1 */
	}
	close_node();
}

/* A modification that replaces the PDI of PDR 1. */
static uint32_t pdr_group, pdi_group;

static void begin_pdi(uint64_t seid, uint8_t side)
{
	pdr_group = begin_change(seid, PFCP_UPDATE_PDR, PFCP_PDR_ID, 1);
	pdi_group = pfcp_open_group(&request, PFCP_PDI);
	pfcp_put_number(&request, PFCP_SOURCE_INTERFACE, side, 1);
}

static uint8_t end_pdi(void)
{
	pfcp_close_group(&request, pdi_group);
	return end_change(pdr_group);
}

static void put_ue(const char *text)
{
	bool six = strchr(text, ':') != NULL;
	uint8_t value[17] = {six ? 1 : 2};

	CHECK(inet_pton(six ? AF_INET6 : AF_INET, text, value + 1) == 1);
	pfcp_put(&request, PFCP_UE_IP_ADDRESS, value, six ? 17 : 5);
}

/* All elements of a kind count, or the request is refused. */
static void elements_that_come_twice(void)
{
	struct upf_rules rules;

	open_node();
	associate();
	uint64_t seid = establish(9, 10);
	begin_pdi(seid, 0);
	put_f_teid(9);
	pfcp_put_number(&request, PFCP_QFI, 1, 1);
	pfcp_put_number(&request, PFCP_QFI, 63, 1);
	put_ue("10.0.0.9");
	put_ue("2001:db8:9::1");
	CHECK_EQUAL(end_pdi(), PFCP_ACCEPTED);
	CHECK(upf_store_rules(node.store, seid, &rules));
	const struct upf_pdr_terms *p = &rules.pdrs[upf_find_pdr(&rules, 1)];
	CHECK_EQUAL(p->qfis, UINT64_C(1) << 63 | 2);
	CHECK_EQUAL(p->ue.versions, DPI_IPV4 | DPI_IPV6);
	CHECK_EQUAL(p->ue.ipv4, htonl(IP(10, 0, 0, 9)));
	begin_pdi(seid, 0);
	put_f_teid(9);
	put_ue("10.0.0.9");
	put_ue("10.0.0.8");
	CHECK_EQUAL(end_pdi(), PFCP_NOT_SUPPORTED);
	close_node();
}

/* Prefixes are looked up by 64 bits: a longer or shorter one, and one that is delegated, would be executed wrongly. */
static void prefixes_of_other_lengths(void)
{
	enum { V6 = 1, V4 = 2, DELEGATED = 8, LENGTH = 0x40 };
	static const struct {
		uint8_t flags, first, second; /* first, second: behind the addresses */
		uint32_t bytes;
		enum pfcp_cause cause;
	} cases[] = {
		{V6 | DELEGATED, 8, 0, 18, PFCP_NOT_SUPPORTED},
		{V6 | DELEGATED, 0, 0, 18, PFCP_ACCEPTED},
		{V6 | DELEGATED, 0, 0, 17, PFCP_INVALID_LENGTH},
		{V6 | LENGTH, 56, 0, 18, PFCP_NOT_SUPPORTED},
		{V6 | LENGTH, 64, 0, 18, PFCP_ACCEPTED},
		{V6 | LENGTH, 64, 0, 17, PFCP_INVALID_LENGTH},
		{V6 | V4 | LENGTH, 128, 0, 22, PFCP_NOT_SUPPORTED},
		{V6 | V4 | LENGTH, 64, 0, 22, PFCP_ACCEPTED},
		{V6 | DELEGATED | LENGTH, 0, 60, 19, PFCP_NOT_SUPPORTED},
	};

	open_node();
	associate();
	uint64_t seid = establish(9, 10);
	for (uint32_t i = 0; i < RTE_DIM(cases); i++) {
		uint8_t value[23] = {cases[i].flags};
		uint32_t behind = (cases[i].flags & V4) != 0 ? 21 : 17;
		value[behind] = cases[i].first;
		value[behind + 1] = cases[i].second;
		begin_pdi(seid, 0);
		put_f_teid(9);
		pfcp_put(&request, PFCP_UE_IP_ADDRESS, value, cases[i].bytes);
		CHECK_EQUAL(end_pdi(), cases[i].cause);
	}
	close_node();
}

static void tunnels_that_are_not_supported(void)
{
	static const uint8_t over_ipv6[] = {6}, over_both[] = {7};
	struct pfcp_ie ie;

	open_node();
	associate();
	uint64_t seid = establish(9, 10);
	begin_pdi(seid, 0);
	pfcp_put(&request, PFCP_F_TEID, over_ipv6, 1);
	CHECK_EQUAL(end_pdi(), PFCP_NOT_SUPPORTED);
	begin_pdi(seid, 0);
	pfcp_put(&request, PFCP_F_TEID, over_both, 1);
	CHECK_EQUAL(end_pdi(), PFCP_ACCEPTED);
	begin_pdi(seid, 1);
	put_f_teid(9);
	put_ue("10.0.0.9");
	CHECK_EQUAL(end_pdi(), PFCP_NOT_SUPPORTED);
	CHECK(answered(PFCP_OFFENDING_IE, &ie));
	CHECK_EQUAL(pfcp_number(ie.value, 2), PFCP_F_TEID);
	close_node();
}

/* A usage report of the answer: total volume and trigger. */
static bool usage_of(uint32_t urr, uint64_t *bytes, uint32_t *trigger)
{
	struct pfcp_header h = reply_header();
	struct pfcp_reader reader = pfcp_reader(h.body, h.body_bytes);
	struct pfcp_ie ie, part;

	while (pfcp_next(&reader, &ie)) {
		uint32_t id = 0;
		if (ie.type != PFCP_USAGE_REPORT_MODIFICATION && ie.type != PFCP_USAGE_REPORT_DELETION)
			continue;
		for (struct pfcp_reader parts = pfcp_reader(ie.value, ie.bytes); pfcp_next(&parts, &part);) {
			if (part.type == PFCP_URR_ID)
				id = get32(part.value);
			else if (part.type == PFCP_USAGE_REPORT_TRIGGER)
				*trigger = (uint32_t)pfcp_number(part.value, 3);
			else if (part.type == PFCP_VOLUME_MEASUREMENT)
				*bytes = pfcp_number(part.value + 1, 8);
		}
		if (id == urr)
			return true;
	}
	return false;
}

static void is_reported(uint32_t urr, uint64_t bytes, uint32_t trigger)
{
	uint64_t reported = 0;
	uint32_t why = 0;

	CHECK(usage_of(urr, &reported, &why));
	CHECK_EQUAL(reported, bytes);
	CHECK_EQUAL(why, trigger);
}

static void is_not_reported(uint32_t urr)
{
	CHECK(!usage_of(urr, &(uint64_t){0}, &(uint32_t){0}));
}

static void count_bytes(uint64_t seid, uint32_t urr, uint64_t bytes)
{
	struct upf_store *s = node.store;

	for (uint32_t at = s->sessions[(uint32_t)seid - 1].urrs; at != UPF_NONE; at = s->urrs[at].sibling)
		if (s->urrs[at].id == urr)
			s->urrs[at].bytes[UPF_UPLINK] += bytes;
}

#define IMMEDIATE 0x800000u
#define ENDED 0x000800u

/* A session of URRs 1 and 2. */
static uint64_t establish_with_two_urrs(void)
{
	uint64_t seid = establish(9, 10);

	CHECK_EQUAL(end_change(begin_change(seid, PFCP_CREATE_URR, PFCP_URR_ID, 2)), PFCP_ACCEPTED);
	is_not_reported(1);
	is_not_reported(2);
	return seid;
}

static void queries(void)
{
	open_node();
	associate();
	uint64_t seid = establish_with_two_urrs();
	count_bytes(seid, 1, 100);
	count_bytes(seid, 2, 200);
	CHECK_EQUAL(end_change(begin_change(seid, PFCP_QUERY_URR, PFCP_URR_ID, 2)), PFCP_ACCEPTED);
	is_reported(2, 200, IMMEDIATE);
	is_not_reported(1);
	CHECK_EQUAL(end_change(begin_change(seid, PFCP_QUERY_URR, PFCP_URR_ID, 3)), PFCP_RULE_FAILURE);
	begin(PFCP_SESSION_MODIFICATION_REQUEST, true, seid);
	CHECK_EQUAL(end_change(pfcp_open_group(&request, PFCP_QUERY_URR)), PFCP_MANDATORY_IE_MISSING);
	begin(PFCP_SESSION_MODIFICATION_REQUEST, true, seid);
	pfcp_put_number(&request, PFCP_SM_REQUEST_FLAGS, 4, 1);
	send_request();
	is_reported(1, 100, IMMEDIATE);
	is_reported(2, 0, IMMEDIATE);
	begin(PFCP_SESSION_MODIFICATION_REQUEST, true, seid);
	pfcp_put_number(&request, PFCP_SM_REQUEST_FLAGS, 3, 1); /* other flags */
	send_request();
	is_not_reported(1);
	close_node();
}

static void urrs_that_are_removed(void)
{
	open_node();
	associate();
	uint64_t seid = establish_with_two_urrs();
	count_bytes(seid, 1, 100);
	count_bytes(seid, 2, 200);
	uint32_t in_use = begin_change(seid, PFCP_REMOVE_URR, PFCP_URR_ID, 1);
	CHECK_EQUAL(end_change(in_use), PFCP_RULE_FAILURE);
	is_not_reported(1);
	CHECK_EQUAL(end_change(begin_change(seid, PFCP_REMOVE_URR, PFCP_URR_ID, 2)), PFCP_ACCEPTED);
	is_reported(2, 200, ENDED);
	is_not_reported(1);
	begin(PFCP_SESSION_DELETION_REQUEST, true, seid);
	send_request();
	is_reported(1, 100, ENDED);
	is_not_reported(2);
	close_node();
}

static void put_quota(uint16_t ie, uint64_t bytes, const uint8_t triggers[2])
{
	uint8_t quota[9] = {1};
	uint32_t group = pfcp_open_group(&request, ie);

	put32(quota + 5, (uint32_t)bytes);
	pfcp_put_number(&request, PFCP_URR_ID, 1, 4);
	if (triggers != NULL)
		pfcp_put(&request, PFCP_REPORTING_TRIGGERS, triggers, 2);
	if (bytes != 0)
		pfcp_put(&request, PFCP_VOLUME_QUOTA, quota, sizeof(quota));
	pfcp_close_group(&request, group);
}

static void update_quota(uint64_t seid, uint64_t bytes, const uint8_t triggers[2])
{
	begin(PFCP_SESSION_MODIFICATION_REQUEST, true, seid);
	put_quota(PFCP_UPDATE_URR, bytes, triggers);
	send_request();
	CHECK_EQUAL(cause(), PFCP_ACCEPTED);
}

/* A quota counts from its grant, and the word that it is used up is another one than that of a threshold. */
static void quotas(void)
{
	static const uint8_t volumes[] = {2, 1};
	struct pfcp_writer message;
	struct pfcp_end to;
	struct pfcp_header h;
	struct pfcp_ie ie, part = {0};

	open_node();
	associate();
	uint64_t seid = establish(9, 10);
	struct upf_store *s = node.store;
	uint32_t urr = s->sessions[(uint32_t)seid - 1].urrs;
	struct upf_urr *u = &s->urrs[urr];
	CHECK_EQUAL(u->quota, UPF_NO_VOLUME);
	u->bytes[UPF_DOWNLINK] = 3000;
	update_quota(seid, 1000, NULL);
	CHECK_EQUAL(u->quota, 4000);
	CHECK_EQUAL(u->grant & 1, 0);
	u->bytes[UPF_UPLINK] = 1500;
	update_quota(seid, 0, volumes); /* nothing is granted */
	CHECK_EQUAL(u->quota, 4000);
	CHECK_EQUAL(u->grant & 1, 1);
	update_quota(seid, 1000, NULL); /* as much as before */
	CHECK_EQUAL(u->quota, 5500);
	CHECK_EQUAL(u->grant & 1, 1);
	CHECK(rte_ring_sp_enqueue(s->reports[0], upf_reference(urr | UPF_QUOTA_USED, u->epoch)) == 0);
	CHECK(pfcp_node_report(&node, &message, &to));
	CHECK(pfcp_read_header(message.data, message.bytes, &h));
	struct pfcp_reader reader = pfcp_reader(h.body, h.body_bytes);
	while (pfcp_next(&reader, &ie) && ie.type != PFCP_USAGE_REPORT_REQUEST)
		;
	reader = pfcp_reader(ie.value, ie.bytes);
	while (pfcp_next(&reader, &part) && part.type != PFCP_USAGE_REPORT_TRIGGER)
		;
	CHECK_EQUAL(part.type, PFCP_USAGE_REPORT_TRIGGER);
	CHECK_EQUAL(pfcp_number(part.value, 3), 0x000100);
	close_node();
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(heartbeats_and_associations);
	RUN(a_session_from_begin_to_end);
	RUN(teids_are_chosen);
	RUN(requests_that_come_again);
	RUN(requests_that_come_again_behind_heartbeats);
	RUN(an_smf_that_begins_again);
	RUN(numbers_that_come_again);
	RUN(refused_as_a_whole);
	RUN(requests_cut_short);
	RUN(reports);
	RUN(reports_of_a_session_that_ended);
	RUN(rules_that_are_named_twice);
	RUN(tunnels_to_the_core);
	RUN(elements_that_come_twice);
	RUN(prefixes_of_other_lengths);
	RUN(tunnels_that_are_not_supported);
	RUN(queries);
	RUN(urrs_that_are_removed);
	RUN(quotas);
	return 0;
}
