/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>

#include "check.h"
#include "stage_fixture.h"
#include "upf/gtpu.h"
#include "session/upf_read_rules.h"
#include "session/upf_sessions.h"
#include "session/upf_usage.h"

#define UE IP(10, 10, 1, 11)
#define SERVER IP(198, 51, 100, 53)
#define N3 IP(192, 0, 2, 254)
#define NODE IP(192, 0, 2, 1)
#define MS UINT64_C(1000000)
#define TUNNEL_BYTES 36u

enum { DECAP, PDR, QER, URR, FAR, STAGES };

static struct fixture stages[STAGES];
static struct fixture *const chain[STAGES] = {&stages[DECAP], &stages[PDR], &stages[QER], &stages[URR], &stages[FAR]};

static void open_chain(const char *sessions, const char *policies, const char *keys)
{
	const struct stage_ops *const ops[STAGES] = {&gtp_decap_stage, &pdr_stage, &qer_stage, &urr_stage, &far_stage};
	char text[STAGES][512];

	snprintf(text[DECAP], sizeof(text[0]), "[network]\nn3 = 192.0.2.254\n");
	snprintf(text[PDR], sizeof(text[0]), "[pdr]\nsessions = %s\npolicies = %s\n%s\n", fixture_file(sessions),
		 fixture_file(policies), keys);
	snprintf(text[QER], sizeof(text[0]), "[qer]\nburst_ms = 100\n");
	snprintf(text[URR], sizeof(text[0]), "[chain]\n");
	snprintf(text[FAR], sizeof(text[0]), "[network]\nn3 = 192.0.2.254\n");
	for (uint32_t i = 0; i < STAGES; i++)
		fixture_open(&stages[i], ops[i], text[i]);
}

static void close_chain(void)
{
	for (uint32_t i = STAGES; i-- > 0;)
		fixture_close(&stages[i]);
}

/* The packet of a frame in a tunnel to this end; qfi 0: without PDU Session Container. */
static struct frame in_flow(const struct frame *inner, uint32_t teid, uint8_t qfi)
{
	const uint8_t container[] = {0, 0, 0, GTPU_SESSION_CONTAINER, 1, 0x10, qfi, 0};
	uint8_t payload[1500] = {qfi != 0 ? 0x34 : 0x30, GTPU_G_PDU};
	uint32_t bytes = inner->bytes - AT_IP, more = qfi != 0 ? sizeof(container) : 0;

	put16(payload + 2, (uint16_t)(more + bytes));
	put32(payload + 4, teid);
	memcpy(payload + GTPU_BYTES, container, more);
	memcpy(payload + GTPU_BYTES + more, inner->data + AT_IP, bytes);
	return make_frame(17, NODE, 2152, N3, 2152, (const char *)payload, GTPU_BYTES + more + bytes);
}

static struct frame in_tunnel(const struct frame *inner, uint32_t teid)
{
	return in_flow(inner, teid, 0);
}

static struct frame uplink(uint32_t teid, uint16_t port, uint32_t bytes)
{
	static const char noise[1400] = "noise";
	struct frame inner = make_frame(17, UE, 4000, SERVER, port, noise, bytes);
	return in_tunnel(&inner, teid);
}

static void run(struct frame f, enum upf_side to, uint64_t now_ns)
{
	CHECK_EQUAL(fixture_run_stages(chain, STAGES, &f, 1, now_ns), 1);
	CHECK_EQUAL(fixture_outcome(&stages[FAR], to == UPF_CORE ? "to_core" : "to_access"), 1);
}

static void ends_at(struct frame f, uint32_t stage, const char *outcome, uint64_t now_ns)
{
	CHECK_EQUAL(fixture_run_stages(chain, STAGES, &f, 1, now_ns), 0);
	CHECK_EQUAL(fixture_outcome(&stages[stage], outcome), 1);
}

#define PLAIN_SESSION                                                                                                  \
	"session\npdr 1 255 access 0x10 ue 10.10.1.11 far 1\npdr 2 255 core ue 10.10.1.11 far 2\nfar 1 core\n"         \
	"far 2 access 0x20 192.0.2.1\n"

static void both_ways(void)
{
	struct frame inner = make_frame(17, UE, 4000, SERVER, 53, "query", 5), f = in_tunnel(&inner, 0x10);

	open_chain(PLAIN_SESSION, "", "");
	CHECK_EQUAL(fixture_run_stages(chain, STAGES, &f, 1, 0), 1);
	CHECK_EQUAL(f.bytes, inner.bytes);
	CHECK(memcmp(f.data + AT_IP, inner.data + AT_IP, inner.bytes - AT_IP) == 0);
	struct frame answer = make_frame(17, SERVER, 53, UE, 4000, "answer", 6);
	f = answer;
	CHECK_EQUAL(fixture_run_stages(chain, STAGES, &f, 1, 0), 1);
	CHECK_EQUAL(f.bytes, answer.bytes + TUNNEL_BYTES);
	CHECK(checksums_right(f.data, f.bytes));
	CHECK_EQUAL(get32(f.data + AT_SOURCE), N3);
	CHECK_EQUAL(get32(f.data + AT_DESTINATION), NODE);
	CHECK_EQUAL(get32(f.data + AT_L4 + 8 + 4), 0x20);
	CHECK(memcmp(f.data + AT_IP + TUNNEL_BYTES, answer.data + AT_IP, answer.bytes - AT_IP) == 0);
	close_chain();
}

static void who_is_not_known(void)
{
	struct frame other = make_frame(17, IP(10, 10, 1, 12), 4000, SERVER, 53, "x", 1);

	open_chain(PLAIN_SESSION, "", "");
	ends_at(uplink(0x11, 53, 1), PDR, "no_session", 0);
	ends_at(in_tunnel(&other, 0x10), PDR, "no_rule", 0);
	ends_at(make_frame(17, SERVER, 53, IP(10, 10, 1, 12), 1, "x", 1), PDR, "no_session", 0);
	close_chain();
}

static void flows(void)
{
	struct frame inner = make_frame(17, UE, 4000, SERVER, 53, "x", 1);

	open_chain("session\npdr 1 1 access 0x10 qfi 1 qfi 63 far 1\n"
		   "pdr 2 2 access 0x20 far 1\nfar 1 core\n", "", "");
	run(in_flow(&inner, 0x10, 1), UPF_CORE, 0);
	run(in_flow(&inner, 0x10, 63), UPF_CORE, 0);
	ends_at(in_flow(&inner, 0x10, 2), PDR, "no_rule", 0);
	ends_at(in_tunnel(&inner, 0x10), PDR, "no_rule", 0);
	run(in_flow(&inner, 0x20, 2), UPF_CORE, 0);
	run(in_tunnel(&inner, 0x20), UPF_CORE, 0);
	close_chain();
}

/* A hundredth of a second brings 1,000 bits at 100 kbit/s, and a bucket holds 2,000 bytes at least. */
static void rates(void)
{
	open_chain("session\npdr 1 255 access 0x10 far 1 qer 1\nfar 1 core\nqer 1 kbit 100 0\n", "", "");
	for (uint32_t i = 0; i < 4; i++)
		run(uplink(0x10, 53, 472), UPF_CORE, 0); /* 500 bytes each */
	ends_at(uplink(0x10, 53, 472), QER, "rate_exceeded", 0);
	ends_at(uplink(0x10, 53, 472), QER, "rate_exceeded", 39 * MS);
	run(uplink(0x10, 53, 472), UPF_CORE, 40 * MS);
	ends_at(uplink(0x10, 53, 0), QER, "rate_exceeded", 40 * MS);
	run(uplink(0x10, 53, 472), UPF_CORE, 1000 * MS);
	close_chain();
}

/* A packet that one QER refuses takes no credit of the other. */
static void two_limits(void)
{
	open_chain("session\npdr 1 10 access 0x10 far 1 qer 1 qer 2 filter permit out 17 from any 53 to assigned\n"
		   "pdr 2 20 access 0x10 far 1 qer 2\nfar 1 core\nqer 1 kbit 100 100\nqer 2 kbit 200 200\n",
		   "", "");
	for (uint32_t i = 0; i < 4; i++)
		run(uplink(0x10, 53, 472), UPF_CORE, 0);
	for (uint32_t i = 0; i < 10; i++)
		ends_at(uplink(0x10, 53, 472), QER, "rate_exceeded", 0);
	run(uplink(0x10, 54, 472), UPF_CORE, 0); /* 2,500 bytes are what 200 kbit/s bring in 100 ms */
	ends_at(uplink(0x10, 54, 472), QER, "rate_exceeded", 0);
	close_chain();
}

static void gates_and_actions(void)
{
	open_chain("session\npdr 1 255 access 0x10 far 1 qer 1\npdr 2 255 core ue 10.10.1.11 far 2\n"
		   "pdr 3 255 access 0x30 far 3\nfar 1 core\nfar 2 buffer\nfar 3 drop\nqer 1 gate closed open\n",
		   "", "");
	ends_at(uplink(0x10, 53, 1), QER, "gate_closed", 0);
	ends_at(make_frame(17, SERVER, 53, UE, 1, "x", 1), FAR, "not_kept", 0);
	ends_at(uplink(0x30, 53, 1), FAR, "dropped", 0);
	close_chain();
}

static void reports_and_quota(void)
{
	struct upf_store *s;
	struct upf_usage usage;
	uint64_t seid;

	open_chain("session\npdr 1 255 access 0x10 far 1 urr 1 urr 2\nfar 1 core\nurr 1 threshold uplink 1000\n"
		   "urr 2 quota 2500\n", "", "");
	s = upf_store_running();
	run(uplink(0x10, 53, 472), UPF_CORE, 0);
	CHECK(!upf_store_next_report(s, &seid, &usage));
	run(uplink(0x10, 53, 472), UPF_CORE, 0);
	CHECK(upf_store_next_report(s, &seid, &usage));
	CHECK_EQUAL(usage.urr, 1);
	CHECK_EQUAL(usage.bytes[UPF_UPLINK], 1000);
	CHECK(!upf_store_next_report(s, &seid, &usage));
	for (uint32_t i = 0; i < 3; i++)
		run(uplink(0x10, 53, 472), UPF_CORE, 0);
	ends_at(uplink(0x10, 53, 472), URR, "quota_exhausted", 0);
	CHECK(upf_store_next_report(s, &seid, &usage));
	CHECK_EQUAL(usage.number, 1);
	CHECK_EQUAL(usage.bytes[UPF_UPLINK], 1500); /* what has come since, not only the threshold's */
	close_chain();
}

static void report_is_due(uint64_t bytes)
{
	struct upf_usage usage;
	uint64_t seid;

	CHECK(upf_store_next_report(upf_store_running(), &seid, &usage));
	CHECK_EQUAL(usage.bytes[UPF_UPLINK], bytes);
	CHECK(!upf_store_next_report(upf_store_running(), &seid, &usage));
}

/* Volumes that reach their thresholds together are in one report. All thresholds count from the last report
 * on, whatever it was due for. */
static void thresholds_of_two_volumes(void)
{
	struct upf_usage usage;
	uint64_t seid;

	open_chain("session\npdr 1 255 access 0x10 far 1 urr 1\nfar 1 core\n"
		   "urr 1 threshold uplink 1000 threshold total 1000\n", "", "");
	struct upf_store *s = upf_store_running();
	run(uplink(0x10, 53, 472), UPF_CORE, 0);
	run(uplink(0x10, 53, 472), UPF_CORE, 0);
	report_is_due(1000);
	run(uplink(0x10, 53, 472), UPF_CORE, 0);
	CHECK_EQUAL(upf_store_report(s, s->sessions[0].urrs).bytes[UPF_UPLINK], 500); /* as a query does */
	run(uplink(0x10, 53, 472), UPF_CORE, 0);
	CHECK(!upf_store_next_report(s, &seid, &usage));
	run(uplink(0x10, 53, 472), UPF_CORE, 0);
	report_is_due(1000);
	close_chain();
}

/* The rules of the only session, about to be changed. */
static struct upf_rules session_rules(void)
{
	struct upf_rules rules;

	CHECK(upf_store_rules(upf_store_running(), upf_store_seid(upf_store_running(), 0), &rules));
	return rules;
}

static void change_session(const struct upf_rules *rules)
{
	struct upf_refusal refusal;

	CHECK(upf_store_modify(upf_store_running(), upf_store_seid(upf_store_running(), 0), rules, &refusal));
}

static void quota_is_reported(uint64_t bytes)
{
	struct upf_usage usage;
	uint64_t seid;

	CHECK(upf_store_next_report(upf_store_running(), &seid, &usage));
	CHECK(usage.quota_used);
	CHECK_EQUAL(usage.bytes[UPF_UPLINK], bytes);
	CHECK(!upf_store_next_report(upf_store_running(), &seid, &usage));
}

/* A quota counts from its grant, also one that is as large as the one before, and its end is told once. */
static void quotas_that_are_granted_again(void)
{
	open_chain("session\npdr 1 255 access 0x10 far 1 urr 1\nfar 1 core\nurr 1 quota 1000\n", "", "");
	struct upf_rules rules = session_rules();
	rules.urrs[0].reports_quota = true;
	for (uint32_t grant = 0; grant < 3; grant++) {
		change_session(&rules);
		run(uplink(0x10, 53, 472), UPF_CORE, 0);
		run(uplink(0x10, 53, 472), UPF_CORE, 0);
		quota_is_reported(1000);
		for (uint32_t i = 0; i < 3; i++)
			ends_at(uplink(0x10, 53, 472), URR, "quota_exhausted", 0);
		rules = session_rules();
		CHECK(rules.urrs[0].quota == 1000 && rules.urrs[0].reports_quota && !rules.urrs[0].granted);
		change_session(&rules); /* a change without a grant */
		ends_at(uplink(0x10, 53, 472), URR, "quota_exhausted", 0);
		rules.urrs[0].granted = true;
	}
	struct upf_usage usage;
	uint64_t seid;
	CHECK(!upf_store_next_report(upf_store_running(), &seid, &usage));
	close_chain();
}

/* A quota that no counter reaches is none, also where bytes were counted before. */
static void quotas_without_an_end(void)
{
	open_chain("session\npdr 1 255 access 0x10 far 1 urr 1\nfar 1 core\nurr 1 quota 1000\n", "", "");
	struct upf_rules rules = session_rules();
	run(uplink(0x10, 53, 472), UPF_CORE, 0);
	rules.urrs[0].quota = UINT64_MAX - 1;
	rules.urrs[0].granted = true;
	change_session(&rules);
	for (uint32_t i = 0; i < 8; i++)
		run(uplink(0x10, 53, 472), UPF_CORE, 0);
	close_chain();
}

/* Asked for when it is used up already; without room among the reports, until there is some. */
static void quotas_whose_end_is_reported_late(void)
{
	open_chain("session\npdr 1 255 access 0x10 far 1 urr 1\nfar 1 core\nurr 1 quota 500\n", "", "");
	struct rte_ring *reports = upf_store_running()->reports[0];
	run(uplink(0x10, 53, 472), UPF_CORE, 0);
	ends_at(uplink(0x10, 53, 472), URR, "quota_exhausted", 0);
	CHECK(rte_ring_empty(reports));
	struct upf_rules rules = session_rules();
	rules.urrs[0].reports_quota = true;
	change_session(&rules);
	uint32_t urr = upf_store_running()->sessions[0].urrs;
	while (rte_ring_sp_enqueue(reports, upf_reference(urr, 0)) == 0) /* of a URR that is no more */
		;
	ends_at(uplink(0x10, 53, 472), URR, "quota_exhausted", 0);
	while (rte_ring_sc_dequeue(reports, &(void *){NULL}) == 0)
		;
	ends_at(uplink(0x10, 53, 472), URR, "quota_exhausted", 0);
	ends_at(uplink(0x10, 53, 472), URR, "quota_exhausted", 0);
	quota_is_reported(500);
	close_chain();
}

static void static_policies(void)
{
	open_chain("session\npdr 1 10 access 0x10 far 2 predefined\npdr 2 20 access 0x10 far 1\nfar 1 core\nfar 2 core\n",
		   "mail drop udp any any any 25\nnames pass udp any any 198.51.100.0/24 53\n", "");
	run(uplink(0x10, 53, 1), UPF_CORE, 0);
	run(uplink(0x10, 54, 1), UPF_CORE, 0);
	ends_at(uplink(0x10, 25, 1), PDR, "policy_denied", 0);
	close_chain();
}

static void change_the_tunnel(void)
{
	struct upf_store *s = upf_store_running();
	struct upf_rules rules;
	struct upf_refusal refusal;

	CHECK(upf_store_rules(s, upf_store_seid(s, 0), &rules));
	rules.fars[upf_find_far(&rules, 2)].teid = 0x77;
	CHECK(upf_store_modify(s, upf_store_seid(s, 0), &rules, &refusal));
}

static void end_the_session(void)
{
	CHECK(upf_store_remove(upf_store_running(), upf_store_seid(upf_store_running(), 0)));
}

/* A packet that was looked up before its session changed goes by the new rules; one whose session is gone ends. */
static void rules_that_change_on_the_way(void)
{
	struct frame f = make_frame(17, SERVER, 53, UE, 4000, "x", 1);

	open_chain(PLAIN_SESSION, "", "");
	fixture_call_before(QER, change_the_tunnel);
	CHECK_EQUAL(fixture_run_stages(chain, STAGES, &f, 1, 0), 1);
	CHECK_EQUAL(get32(f.data + AT_L4 + 8 + 4), 0x77);
	for (uint32_t stage = QER; stage <= FAR; stage++) {
		fixture_call_before(stage, end_the_session);
		ends_at(make_frame(17, SERVER, 53, UE, 4000, "x", 1), stage, "session_gone", 0);
		close_chain();
		open_chain(PLAIN_SESSION, "", "");
	}
	fixture_call_before(0, NULL);
	close_chain();
}

/* Every length of a message, in memory of exactly that size: what is read lies within it. */
static void headers_cut_short(void)
{
	static const uint8_t whole[] = {0x34, 255, 0, 20, 0, 0, 0, 1, 0, 0, 0, 0x40, 2, 0, 0, 0, 0, 0, 0, 0x85, 1, 0x10, 9, 0,
					1, 2, 3, 4};

	for (uint32_t bytes = 0; bytes <= sizeof(whole); bytes++) {
		uint8_t *data = malloc(bytes + 1);
		struct gtpu g;
		memcpy(data, whole, bytes);
		enum gtpu_fault fault = gtpu_parse(data, bytes, &g);
		CHECK_EQUAL(fault, bytes == sizeof(whole) ? GTPU_SOUND : GTPU_MALFORMED);
		free(data);
		if (fault != GTPU_SOUND)
			continue;
		CHECK_EQUAL(g.qfi, 9);
		CHECK_EQUAL(g.payload, 24);
		CHECK_EQUAL(g.payload_bytes, 4);
	}
}

static void filters(void)
{
	static const char *const wrong[] = {
		"",
		"permit in 17 from any to any",
		"deny out 17 from any to any",
		"permit out 17 from any",
		"permit out 256 from any to any",
		"permit out udp from any to any",
		"permit out 17 from 10.0.0.1/8 to any",
		"permit out 17 from 10.0.0.0/33 to any",
		"permit out 17 from 10.0.0.0/ to any",
		"permit out 17 from 10.0.0.0/8 to 2001:db8::/32",
		"permit out 17 from any 70000 to any",
		"permit out 17 from any 9-8 to any",
		"permit out 17 from any 53 54 to any",
		"permit out 1 from any 53 to any",
		"permit out 17 from any to any 53 more",
	};
	struct dpi_tuple up, down;

	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(upf_parse_filter(wrong[i], UPF_CORE, &down) != NULL);
	CHECK(upf_parse_filter("permit out 17 from 198.51.100.0/24 53 to assigned 1000-2000", UPF_CORE, &down) == NULL);
	CHECK(upf_parse_filter("permit out 17 from 198.51.100.0/24 53 to assigned 1000-2000", UPF_ACCESS, &up) == NULL);
	CHECK_EQUAL(down.source_bits, 24);
	CHECK_EQUAL(up.destination_bits, 24);
	CHECK_EQUAL(down.source_ports[1], 53);
	CHECK_EQUAL(up.source_ports[0], 1000);
	CHECK(upf_parse_filter("permit out ip from any to 2001:db8::1", UPF_CORE, &down) == NULL);
	CHECK_EQUAL(down.destination_bits, 128);
}

/* Owner of a packet among several instances. */
static int32_t owner_of(const struct stage_ops *ops, const void *settings, struct frame f, uint32_t count)
{
	struct rte_mbuf m = {.buf_addr = f.data, .data_len = (uint16_t)f.bytes};
	static struct batch b;
	struct stage_owner owner;

	b.count = 1;
	b.mbufs[0] = &m;
	packet_parse(f.data, f.bytes, &b.packets[0]);
	ops->hooks.owners(settings, NULL, &b, count, &owner);
	return owner.instance;
}

static struct frame udp6(uint64_t from, uint64_t to)
{
	static const char room[40];
	struct frame f = make_frame(17, UE, 9, SERVER, 9, room, sizeof(room));
	uint8_t *ip = f.data + AT_IP;

	put16(f.data + AT_TYPE, 0x86dd);
	memset(ip, 0, f.bytes - AT_IP);
	ip[0] = 0x60;
	put16(ip + 4, (uint16_t)(f.bytes - AT_IP - 40));
	ip[6] = 59; /* nothing follows */
	put32(ip + 8, (uint32_t)(from >> 32)), put32(ip + 12, (uint32_t)from);
	put32(ip + 24, (uint32_t)(to >> 32)), put32(ip + 28, (uint32_t)to);
	return f;
}

/* All packets of a session are of one instance, whichever of its addresses they have; it has one of each version. */
static void owners_of_two_addresses(void)
{
	static const struct stage_ops *const stages_with_owners[] = {&qer_stage, &urr_stage};
	const uint64_t there = UINT64_C(0x20010db800990000);
	char sessions[4096] = "";
	uint32_t differ = 0;

	for (uint32_t i = 0; i < 16; i++)
		snprintf(sessions + strlen(sessions), sizeof(sessions) - strlen(sessions),
			 "session\npdr 1 1 access %u ue 10.10.9.%u ue 2001:db8:7:%x:: far 1 qer 1\n"
			 "pdr 2 1 core ue 2001:db8:7:%x:: far 1\npdr 3 1 core ue 10.10.9.%u far 1\nfar 1 core\nqer 1\n",
			 i + 1, i, i, i, i);
	fixture_divide(3);
	open_chain(sessions, "", "");
	for (uint32_t i = 0; i < 16; i++)
		for (uint32_t s = 0; s < RTE_DIM(stages_with_owners); s++) {
			const struct stage_ops *ops = stages_with_owners[s];
			const void *settings = stages[QER + s].settings;
			uint64_t prefix = UINT64_C(0x20010db800070000) | i;
			struct frame four = make_frame(17, IP(10, 10, 9, i), 9, SERVER, 9, "x", 1);
			struct frame to_four = make_frame(17, SERVER, 9, IP(10, 10, 9, i), 9, "x", 1);
			struct frame six = udp6(prefix, there);
			int32_t owner = owner_of(ops, settings, in_tunnel(&four, i + 1), 3);
			CHECK(owner >= 0 && owner < 3);
			CHECK_EQUAL(owner_of(ops, settings, to_four, 3), owner);
			CHECK_EQUAL(owner_of(ops, settings, in_tunnel(&six, i + 1), 3), owner);
			CHECK_EQUAL(owner_of(ops, settings, udp6(there, prefix), 3), owner);
			differ += owner != owner_of(ops, settings, udp6(there, prefix | 0x100), 3); /* of no session */
		}
	CHECK(differ != 0);
	struct upf_rules rules = session_rules();
	struct upf_refusal refusal;
	struct upf_store *store = upf_store_running();
	struct upf_ue *ue = &rules.pdrs[upf_find_pdr(&rules, 3)].ue;
	ue->ipv4 = htonl(IP(10, 10, 8, 1));
	CHECK(!upf_store_modify(store, upf_store_seid(store, 0), &rules, &refusal));
	CHECK(strstr(refusal.reason, "two IPv4 addresses") != NULL);
	rules.pdrs[upf_find_pdr(&rules, 1)].ue.ipv4 = ue->ipv4;
	CHECK(!upf_store_modify(store, upf_store_seid(store, 0), &rules, &refusal));
	CHECK(strstr(refusal.reason, "its address changes") != NULL);
	/* without credit and counts any instance will do, also afterwards */
	uint32_t limited = upf_find_pdr(&rules, 1);
	rules.pdrs[limited].ue.ipv4 = htonl(IP(10, 10, 8, 2));
	rules.pdrs[limited].qer_count = rules.qer_count = 0;
	CHECK(upf_store_modify(store, upf_store_seid(store, 0), &rules, &refusal));
	rules.pdrs[limited].qer_count = rules.qer_count = 1;
	CHECK(!upf_store_modify(store, upf_store_seid(store, 0), &rules, &refusal));
	CHECK(strstr(refusal.reason, "two IPv4 addresses") != NULL);
	rules.pdrs[limited].ue.ipv4 = ue->ipv4;
	CHECK(upf_store_modify(store, upf_store_seid(store, 0), &rules, &refusal));
	close_chain();
	fixture_divide(0);
}

static void mistakes_are_counted(void)
{
	static const char *const wrong[] = {
		"pdr 1 1 access 1 far 1\n",
		"session 1\n",
		"session\nrule 1\n",
		"session\npdr 0 1 access 1 far 1\nfar 1 core\n",
		"session\npdr 1 1 access 0 far 1\nfar 1 core\n",
		"session\npdr 1 1 side 1 far 1\nfar 1 core\n",
		"session\npdr 1 1 access 1 far 2\nfar 1 core\n",
		"session\npdr 1 1 access 1 far 1 qer 1\nfar 1 core\n",
		"session\npdr 1 1 access 1 far 1 urr 1 urr 2 urr 3\nfar 1 core\n",
		"session\npdr 1 1 access 1 far 1 qer 1 qer 1\nfar 1 core\nqer 1\n",
		"session\npdr 1 1 access 1 far 1 urr 1 urr 1\nfar 1 core\nurr 1\n",
		"session\npdr 1 1 core far 1\nfar 1 core\n",
		"session\npdr 1 1 core ue 10.0.0.999 far 1\nfar 1 core\n",
		"session\npdr 1 1 core ue 2001:db8::1 far 1\nfar 1 core\n",
		"session\npdr 1 1 core ue 10.0.0.1 ue 10.0.0.2 far 1\nfar 1 core\n",
		"session\npdr 1 1 access 1 far 1\npdr 1 2 access 2 far 1\nfar 1 core\n",
		"session\nfar 1 away\n",
		"session\nfar 1 access 5\n",
		"session\nqer 1 gate open\n",
		"session\nqer 1 kbit 5\n",
		"session\nqer 1 qfi 64\n",
		"session\nurr 1 threshold bytes 5\n",
		"session\nurr 1 quota 0\n",
	};
	for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), "[pdr]\nsessions = %s\n", fixture_file(wrong[i]));
		struct config *config = fixture_config(text);
		pdr_stage.hooks.release(pdr_stage.hooks.configure(config));
		CHECK_EQUAL(config_mistakes(config), 1);
		config_free(config);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	fixture_eal(argv[0]);
	RUN(headers_cut_short);
	RUN(filters);
	RUN(both_ways);
	RUN(who_is_not_known);
	RUN(flows);
	RUN(rates);
	RUN(two_limits);
	RUN(gates_and_actions);
	RUN(reports_and_quota);
	RUN(thresholds_of_two_volumes);
	RUN(quotas_that_are_granted_again);
	RUN(quotas_whose_end_is_reported_late);
	RUN(quotas_without_an_end);
	RUN(owners_of_two_addresses);
	RUN(static_policies);
	RUN(rules_that_change_on_the_way);
	RUN(mistakes_are_counted);
	return 0;
}
