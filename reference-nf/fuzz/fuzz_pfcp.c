/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Input: a PFCP message, in memory of exactly its size, whose elements are applied to the rules of a session. Rules that
 * are taken are sound, and can be taken again; a message that is refused has a reason. Then a UPF's end receives it
 * twice, from an SMF that has an association and a session: the second time it does nothing, and answers the same.
 */
#include <sched.h>

#include <arpa/inet.h>
#include <rte_eal.h>
#include <rte_lcore.h>

#include "check.h"
#include "pfcp/pfcp_node.h"
#include "session/upf_read_rules.h"
#include "session/upf_sessions.h"

#define N3 0x01020304u
#define SEID_AT 4u
#define OTHER_SEID 1 /* in its first octet: the message keeps the SEID that it has */

static uint32_t chosen;

static uint32_t choose(void *arg)
{
	(void)arg;
	return ++chosen;
}

static struct upf_rules session_before(void)
{
	static const struct upf_rules rules = {
		.pdr_count = 1,
		.far_count = 1,
		.qer_count = 1,
		.urr_count = 1,
		.pdrs = {{.id = 1, .precedence = 1, .teid = 1, .side = UPF_ACCESS, .far = 1, .qer_count = 1, .urr_count = 1,
			  .qers = {1}, .urrs = {1}}},
		.fars = {{.id = 1, .action = UPF_FORWARD, .to = UPF_CORE}},
		.qers = {{.id = 1}},
		.urrs = {{.id = 1, .quota = UPF_NO_VOLUME}},
	};
	return rules;
}

static void check_rules(const struct upf_rules *r)
{
	struct upf_refusal refusal;

	CHECK(r->pdr_count <= UPF_RULES_MAX && r->far_count <= UPF_RULES_MAX);
	CHECK(r->qer_count <= UPF_RULES_MAX && r->urr_count <= UPF_RULES_MAX);
	CHECK(upf_rules_check(r, &refusal));
	for (uint32_t i = 0; i < r->pdr_count; i++) {
		const struct upf_pdr_terms *p = &r->pdrs[i];
		CHECK(p->id != 0 && p->qer_count <= UPF_OF_PDR && p->urr_count <= UPF_OF_PDR);
		CHECK(p->qer_count < 2 || p->qers[0] != p->qers[1]);
		CHECK(p->urr_count < 2 || p->urrs[0] != p->urrs[1]);
		CHECK(p->side == UPF_ACCESS || p->side == UPF_CORE);
		CHECK(p->filter_count <= UPF_FILTERS_OF_PDR);
		for (uint32_t f = 0; f < p->filter_count; f++)
			CHECK(p->filters[f].versions != 0);
	}
	for (uint32_t i = 0; i < r->far_count; i++) {
		CHECK(r->fars[i].action <= UPF_BUFFER && (r->fars[i].to == UPF_ACCESS || r->fars[i].to == UPF_CORE));
		CHECK(r->fars[i].to == UPF_ACCESS || r->fars[i].peer == 0);
	}
}

static void apply(const struct pfcp_header *h, struct upf_rules rules)
{
	struct pfcp_chooser chooser = {.choose = choose, .n3 = N3};
	struct pfcp_fault fault;
	bool good = pfcp_apply_rules(h->body, h->body_bytes, &rules, &chooser, &fault);

	CHECK_EQUAL(good, fault.cause == PFCP_ACCEPTED);
	CHECK(chooser.count <= UPF_RULES_MAX);
	if (good)
		check_rules(&rules);
	else
		CHECK(fault.rule.reason != NULL);
}

static struct pfcp_node node;
static struct pfcp_writer first;
static const struct pfcp_end smf = {0x0200007f, 8805};

static void associate(void)
{
	static struct pfcp_writer setup;
	static uint32_t started;
	static const uint8_t id[5];
	struct pfcp_fault fault;

	pfcp_begin(&setup, PFCP_ASSOCIATION_SETUP_REQUEST, false, 0, 1);
	pfcp_put(&setup, PFCP_NODE_ID, id, sizeof(id));
	pfcp_put_number(&setup, PFCP_RECOVERY_TIME_STAMP, ++started, 4);
	pfcp_end(&setup);
	CHECK(pfcp_node_receive(&node, smf, setup.data, setup.bytes, 0, &fault) != NULL);
	CHECK_EQUAL(fault.cause, PFCP_ACCEPTED);
	CHECK_EQUAL(upf_store_sessions(node.store), 0);
}

/* The SEID of the only session. */
static uint64_t begin_session(void)
{
	const struct upf_rules rules = session_before();
	struct upf_refusal refusal;
	uint64_t seid = upf_store_establish(node.store, &rules, &refusal);

	CHECK(seid != 0);
	node.sessions[(uint32_t)seid - 1] = (struct pfcp_session){77, smf.address};
	return seid;
}

/* message: changed. */
static void receive(uint8_t *message, size_t size, const struct pfcp_header *h)
{
	struct pfcp_fault fault;
	struct pfcp_header answer;
	struct upf_rules rules;

	associate();
	uint64_t seid = begin_session();
	if (h->version == 1 && h->has_seid && (message[SEID_AT] & OTHER_SEID) == 0)
		for (uint32_t i = 0; i < 8; i++)
			message[SEID_AT + i] = (uint8_t)(seid >> (56 - 8 * i));
	const struct pfcp_writer *reply = pfcp_node_receive(&node, smf, message, size, 0, &fault);
	CHECK(fault.cause == PFCP_ACCEPTED || fault.rule.reason != NULL);
	if (upf_store_rules(node.store, seid, &rules))
		check_rules(&rules);
	if (reply == NULL)
		return;
	CHECK(pfcp_read_header(reply->data, reply->bytes, &answer));
	CHECK_EQUAL(answer.sequence, h->sequence);
	memcpy(&first, reply, sizeof(first));
	uint64_t done = node.done + node.refused;
	uint32_t sessions = upf_store_sessions(node.store);
	reply = pfcp_node_receive(&node, smf, message, size, PFCP_REPEATED_MS, &fault);
	CHECK(reply != NULL && reply->bytes == first.bytes && memcmp(reply->data, first.data, first.bytes) == 0);
	CHECK_EQUAL(node.done + node.refused, done);
	CHECK_EQUAL(upf_store_sessions(node.store), sessions);
}

/* EAL binds this thread to its lcore. Afterwards it may run on any CPU again, so that several such programs can run. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct upf_store_settings settings = {.sessions = 4, .rules = 512, .filters = 256};
	char lcores[32];
	char *eal[] = {(*argv)[0], lcores, "--no-huge", "-m", "64", "--no-shconf", "--no-pci",
		       "--no-telemetry", "--log-level=lib.eal:error", NULL};
	cpu_set_t cpus;

	(void)argc;
	CHECK(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	snprintf(lcores, sizeof(lcores), "--lcores=0@%d", sched_getcpu());
	CHECK(rte_eal_init((int)(sizeof(eal) / sizeof(eal[0])) - 1, eal) >= 0);
	CHECK(sched_setaffinity(0, sizeof(cpus), &cpus) == 0);
	const struct stage_place place = {.count = 1, .socket = (int)rte_socket_id()};
	struct upf_store *store = upf_store_create(&settings, &place);
	CHECK(store != NULL && pfcp_node_open(&node, store, N3, htonl(0x7f000001), 1000));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *message = malloc(size); /* libFuzzer's own copy may lie within a larger piece of memory */
	struct pfcp_header header;

	CHECK(message != NULL || size == 0);
	if (size != 0)
		memcpy(message, data, size);
	if (pfcp_read_header(message, size, &header) && header.version == 1) {
		CHECK(header.body >= message && header.body + header.body_bytes <= message + size);
		apply(&header, (struct upf_rules){0});
		apply(&header, session_before());
	}
	if (pfcp_read_header(message, size, &header))
		receive(message, size, &header);
	free(message);
	return 0;
}
