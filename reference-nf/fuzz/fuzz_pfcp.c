/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Input: a PFCP message, in memory of exactly its size, whose elements are applied to the rules of a session. Rules that
 * are taken are sound, and can be taken again; a message that is refused has a reason.
 */
#include "check.h"
#include "pfcp/pfcp_rules.h"

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
		CHECK(p->side == UPF_ACCESS || p->side == UPF_CORE);
		CHECK(p->filter_count <= UPF_FILTERS_OF_PDR);
		for (uint32_t f = 0; f < p->filter_count; f++)
			CHECK(p->filters[f].versions != 0);
	}
	for (uint32_t i = 0; i < r->far_count; i++)
		CHECK(r->fars[i].action <= UPF_BUFFER && (r->fars[i].to == UPF_ACCESS || r->fars[i].to == UPF_CORE));
}

static void apply(const struct pfcp_header *h, struct upf_rules rules)
{
	struct pfcp_chooser chooser = {.choose = choose, .n3 = 0x01020304};
	struct pfcp_fault fault;
	bool good = pfcp_apply_rules(h->body, h->body_bytes, &rules, &chooser, &fault);

	CHECK_EQUAL(good, fault.cause == PFCP_ACCEPTED);
	CHECK(chooser.count <= UPF_RULES_MAX);
	if (good)
		check_rules(&rules);
	else
		CHECK(fault.rule.reason != NULL);
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
	free(message);
	return 0;
}
