/* SPDX-License-Identifier: BSD-3-Clause */
#include "meter/traffic_report.h"
#include "totals.h"

static void print_cycles(FILE *out, const struct nalm_probe *probe, uint32_t stage)
{
#ifndef NALM_PROBE_NO_STAGES
	uint64_t cycles = 0;
	for (uint32_t i = 0; i < probe->claimed; i++)
		cycles += nalm_probe_block(probe, i)->counters.stages[stage].cycles;
	fprintf(out, ",\"cycles\":%lu", cycles);
#else
	(void)out, (void)probe, (void)stage;
#endif
}

static void print_stage(FILE *out, const struct chain *c, const struct nalm_probe *probe, uint32_t s)
{
	const struct nalm_stage_spec *spec = &c->probed[s];
	struct stage_totals totals = chain_totals(c, s);

	fprintf(out, "%s{\"name\":\"%s\",\"packets\":%lu", s == 0 ? "" : ",", spec->name, totals.packets);
	print_cycles(out, probe, s);
	fprintf(out, ",\"outcomes\":{");
	for (uint32_t o = 0; spec->outcomes[o].name != NULL; o++)
		fprintf(out, "%s\"%s\":%lu", o == 0 ? "" : ",", spec->outcomes[o].name, totals.outcomes[o]);
	fprintf(out, "}}");
}

static void print_role(FILE *out, const struct role *r, bool first)
{
	fprintf(out, "%s{\"name\":\"%s\",\"back_pressure\":%lu}", first ? "" : ",", r->name, r->back_pressure);
}

static void print_fragments(FILE *out, const struct fragments *f)
{
	fprintf(out, ",\"fragments\":{\"received\":%lu,\"merged\":%lu,\"datagrams\":%lu,\"atomic\":%lu,\"expired\":%lu",
		f->received, f->merged, f->datagrams, f->atomic, f->expired);
	fprintf(out, ",\"held\":%lu,\"added\":%lu,\"refused\":{", fragments_held(f), fragments_added(f));
	for (uint32_t why = 0; why < FRAGMENTS_REFUSALS; why++)
		fprintf(out, "%s\"%s\":%lu", why == 0 ? "" : ",", fragments_refusals[why], f->refused[why]);
	fprintf(out, "}}");
}

void totals_print(FILE *out, const struct plan *plan, const struct sink *sink, const struct nalm_probe *probe,
		  bool balanced)
{
	const struct chain *c = plan->chain;

	fprintf(out, "{\"nf\":\"nalm-nf\",\"in\":%lu,\"sent\":%lu,\"policy\":%lu,\"lost\":%lu,\"bad\":%lu",
		chain_totals(c, c->at[PART_RX]).packets, chain_sum(c, NALM_KIND_SENT), chain_sum(c, NALM_KIND_POLICY),
		chain_sum(c, NALM_KIND_LOST), chain_sum(c, NALM_KIND_BAD));
	fprintf(out, ",\"balanced\":%s,\"stages\":[", balanced ? "true" : "false");
	for (uint32_t s = 0; s < c->probed_count; s++)
		print_stage(out, c, probe, s);
	fprintf(out, "],\"roles\":[");
	for (uint32_t i = 0; i < plan->role_count; i++)
		print_role(out, plan->roles[i], i == 0);
	fprintf(out, "]");
	for (uint32_t i = 0; i < c->count; i++) {
		const struct chain_stage *stage = &c->stages[i];
		if (stage->ops->hooks.report != NULL)
			stage->ops->hooks.report(&stage->rcu, stage->instances, stage->instance_count, out);
	}
	if (plan->traffic.generator != NULL)
		traffic_print(out, plan->traffic.generator, sink);
	if (plan->io->has_nf_end || plan->io->has_switch_end)
		fprintf(out, ",\"hop\":{\"crossing\":%lu,\"refused\":%lu,\"too_long\":%lu}", plan->io->switch_end.crossing,
			plan->io->switch_end.refused + plan->io->nf_end.refused, plan->io->switch_end.too_long);
	if (plan->io->fragments != NULL)
		print_fragments(out, plan->io->fragments);
	if (plan->io->is_outside)
		outside_print(out, &plan->io->outside);
	if (sink->dump.path != NULL)
		fprintf(out, ",\"dump_digest\":\"%016lx\"", dump_digest(&sink->dump));
	fprintf(out, "}\n");
	fflush(out);
}
