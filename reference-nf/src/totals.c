/* SPDX-License-Identifier: BSD-3-Clause */
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

	fprintf(out, "%s{\"name\":\"%s\",\"packets\":%lu", s == 0 ? "" : ",", spec->name, c->totals[s].packets);
	print_cycles(out, probe, s);
	fprintf(out, ",\"outcomes\":{");
	for (uint32_t o = 0; spec->outcomes[o].name != NULL; o++)
		fprintf(out, "%s\"%s\":%lu", o == 0 ? "" : ",", spec->outcomes[o].name, c->totals[s].outcomes[o]);
	fprintf(out, "}}");
}

void totals_print(FILE *out, const struct chain *c, const struct sink *sink, const struct nalm_probe *probe,
		  bool balanced)
{
	fprintf(out, "{\"nf\":\"nalm-nf\",\"in\":%lu,\"sent\":%lu,\"policy\":%lu,\"lost\":%lu,\"bad\":%lu",
		c->totals[CHAIN_RX].packets, chain_sum(c, NALM_KIND_SENT), chain_sum(c, NALM_KIND_POLICY),
		chain_sum(c, NALM_KIND_LOST), chain_sum(c, NALM_KIND_BAD));
	fprintf(out, ",\"balanced\":%s,\"stages\":[", balanced ? "true" : "false");
	for (uint32_t s = 0; s < c->probed_count; s++)
		print_stage(out, c, probe, s);
	fprintf(out, "]");
	for (uint32_t i = 0; i < c->count; i++)
		if (c->stages[i].ops->report != NULL)
			c->stages[i].ops->report(c->stages[i].state, out);
	if (sink->dump.path != NULL)
		fprintf(out, ",\"dump_digest\":\"%016lx\"", dump_digest(&sink->dump));
	fprintf(out, "}\n");
	fflush(out);
}
