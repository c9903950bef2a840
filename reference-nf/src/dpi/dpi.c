/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Deep packet inspection: rules on the payloads of TCP and UDP. docs/behaviour.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "dpi/dpi_matcher.h"
#include "stage.h"

enum dpi_outcome {
	DPI_NO_MATCH,
	DPI_MATCHED,
	DPI_MARKED,
	DPI_DROPPED,
	DPI_NO_PAYLOAD,
	DPI_NOT_INSPECTED,
	DPI_SCAN_FAILED,
};

static const struct nalm_outcome_spec dpi_outcomes[] = {
	[DPI_NO_MATCH] = {"no_match", NALM_KIND_PASS},
	[DPI_MATCHED] = {"matched", NALM_KIND_PASS},
	[DPI_MARKED] = {"marked", NALM_KIND_PASS},
	[DPI_DROPPED] = {"dropped", NALM_KIND_POLICY},
	[DPI_NO_PAYLOAD] = {"no_payload", NALM_KIND_PASS},
	[DPI_NOT_INSPECTED] = {"not_inspected", NALM_KIND_PASS},
	[DPI_SCAN_FAILED] = {"scan_failed", NALM_KIND_LOST},
	{NULL, 0},
};

struct dpi {
	struct dpi_matcher matcher;
	const struct dpi_settings *settings;
	uint8_t *actions; /* by rule, enum dpi_action: what a match needs, close together */
	uint64_t *hits;   /* by rule; written by the stage's lcore, read by anyone */
};

/* What the matches of one packet add up to. */
struct scan {
	struct dpi *dpi;
	uint32_t worst; /* enum dpi_action */
};

static void *dpi_init(const void *settings, const struct live *live, const struct stage_place *place)
{
	struct dpi *dpi = calloc(1, sizeof(*dpi));

	(void)live, (void)place;
	if (dpi == NULL)
		return NULL;
	dpi->settings = settings;
	dpi->actions = calloc(dpi->settings->rule_count, sizeof(*dpi->actions));
	dpi->hits = calloc(dpi->settings->rule_count, sizeof(*dpi->hits));
	if (dpi->actions == NULL || dpi->hits == NULL || !dpi_matcher_open(&dpi->matcher, dpi->settings)) {
		free(dpi->actions);
		free(dpi->hits);
		free(dpi);
		return NULL;
	}
	for (uint32_t i = 0; i < dpi->settings->rule_count; i++)
		dpi->actions[i] = (uint8_t)dpi->settings->rules[i].action;
	return dpi;
}

static void dpi_fini(void *state)
{
	struct dpi *dpi = state;
	dpi_matcher_close(&dpi->matcher);
	free(dpi->actions);
	free(dpi->hits);
	free(dpi);
}

static void dpi_reset(const struct live *live, void *const instances[], uint32_t count)
{
	(void)live;
	for (uint32_t i = 0; i < count; i++) {
		struct dpi *dpi = instances[i];
		memset(dpi->hits, 0, dpi->settings->rule_count * sizeof(*dpi->hits));
	}
}

static void dpi_report(const struct live *live, void *const instances[], uint32_t count, FILE *out)
{
	const struct dpi *dpi = instances[0];
	const char *comma = "";

	(void)live, (void)count;

	fprintf(out, ",\"dpi_rules\":{");
	for (uint32_t i = 0; i < dpi->settings->rule_count; i++) {
		if (dpi->hits[i] == 0)
			continue;
		fprintf(out, "%s\"%s\":%lu", comma, dpi->settings->rules[i].id, dpi->hits[i]);
		comma = ",";
	}
	fprintf(out, "}");
}

/* Hyperscan calls it for each rule that matches; 0: scan on, so that every rule is counted. */
static int on_match(unsigned int rule, unsigned long long from, unsigned long long to, unsigned int flags, void *context)
{
	struct scan *scan = context;
	uint32_t action = scan->dpi->actions[rule];

	(void)from, (void)to, (void)flags;
	scan->dpi->hits[rule]++;
	if (action > scan->worst)
		scan->worst = action;
	return 0;
}

static inline void mark(struct rte_ipv4_hdr *ip, uint8_t dscp)
{
	uint16_t was = load16(ip);

	ip->type_of_service = (uint8_t)(dscp << 2 | (ip->type_of_service & 3));
	ip->hdr_checksum = checksum_apply(ip->hdr_checksum, checksum_delta16(was, load16(ip)));
}

static inline enum dpi_outcome inspect(struct dpi *dpi, uint8_t *frame, const struct packet *p)
{
	struct scan scan = {dpi, DPI_NONE};

	if (p->version != 4 || p->kind != PACKET_L4 || p->protocol == IPPROTO_ICMP)
		return DPI_NOT_INSPECTED;
	if (p->payload_bytes == 0)
		return DPI_NO_PAYLOAD;
	if (dpi->matcher.scan(dpi->matcher.database, (const char *)frame + p->payload, p->payload_bytes, 0,
			      dpi->matcher.scratch, on_match, &scan) != HS_SUCCESS)
		return DPI_SCAN_FAILED;
	switch (scan.worst) {
	case DPI_DROP:
		return DPI_DROPPED;
	case DPI_MARK:
		mark(packet_ipv4(frame), dpi->settings->mark_dscp);
		return DPI_MARKED;
	case DPI_PASS:
		return DPI_MATCHED;
	default:
		return DPI_NO_MATCH;
	}
}

STAGE_PROCESS void dpi_process(void *state, struct batch *batch, uint64_t now_ns);
STAGE_PROCESS void dpi_process(void *state, struct batch *batch, uint64_t now_ns)
{
	struct dpi *dpi = state;

	(void)now_ns;
	for (uint32_t i = 0; i < batch->count; i++)
		batch->outcome[i] = (uint8_t)inspect(dpi, batch_frame(batch, i), &batch->packets[i]);
	batch_settle(batch);
}

const struct stage_ops dpi_stage = {
	.name = "dpi",
	.outcomes = dpi_outcomes,
	.configure = dpi_configure,
	.init = dpi_init,
	.process = dpi_process,
	.fini = dpi_fini,
	.release = dpi_release,
	.report = dpi_report,
	.reset = dpi_reset,
};
