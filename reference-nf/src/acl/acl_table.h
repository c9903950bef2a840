/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules, on rte_acl: a context for each IP version.
 */
#ifndef ACL_TABLE_H
#define ACL_TABLE_H

#include <string.h>

#include <rte_acl.h>

#include "acl/acl_settings.h"
#include "stage.h"

/* What is looked at of a packet lies as in an IP header without options or extensions that its ports follow. */
#define ACL_INPUT_BYTES 44u

/* What a lookup gives: 0 where no rule matches; else the rule's number, from 1, twice, and 1 more if it permits. */
typedef uint32_t acl_verdict;

static inline bool acl_permits(acl_verdict verdict)
{
	return verdict & 1;
}

static inline uint32_t acl_rule_number(acl_verdict verdict)
{
	return verdict >> 1;
}

/* Packets by the number of the rule that decided, 0: the default. A row for each instance, its only writer. */
struct acl_counts {
	uint64_t *rows[STAGE_MAX_INSTANCES];
	uint64_t *inherited; /* of the tables before; written by the control thread */
};

struct acl_table {
	struct rte_acl_ctx *ipv4, *ipv6; /* NULL: no rule of this version */
	uint32_t generation;		 /* unique among tables of this process, from 1 */
	uint32_t rule_count, instances;
	bool permit_default, avx2;
	const struct acl_settings *settings;
	struct acl_counts counts;
};

/* NULL: reported on stderr. */
struct acl_table *acl_table_create(const struct acl_settings *settings, const struct stage_place *place);
void acl_table_destroy(struct acl_table *table);

/* Classifies n packets whose IP headers begin at data[]; results as rte_acl returns them. */
static inline void acl_table_lookup(const struct rte_acl_ctx *context, const uint8_t *data[], acl_verdict verdicts[],
				    uint32_t n)
{
	if (context == NULL)
		memset(verdicts, 0, n * sizeof(*verdicts));
	else
		(void)rte_acl_classify(context, data, verdicts, n, 1);
}

#endif
