/* SPDX-License-Identifier: BSD-3-Clause
 *
 * /nalm/dpi: the rules with most charged bytes, or the rule with the given id.
 */
#include <stdio.h>

#include <rte_telemetry.h>
#include <rte_version.h>

#include "dpi/dpi_telemetry.h"
#include "dpi/dpi_usage.h"

#if RTE_VERSION < RTE_VERSION_NUM(23, 3, 0, 0) /* the header's name until then */
#define rte_tel_data_add_dict_uint rte_tel_data_add_dict_u64
#endif

#define MOST 32u /* that fit into a reply */

static const struct rcu_tables *shown; /* set once, before the command is registered */

/* Rules by falling charge. */
struct ranking {
	struct dpi_count counts[MOST];
	uint32_t rules[MOST];
	uint32_t count;
};

static void add_members(struct rte_tel_data *data, const char *id, const struct dpi_count *c)
{
	rte_tel_data_start_dict(data);
	rte_tel_data_add_dict_string(data, "rule", id);
	rte_tel_data_add_dict_uint(data, "packets", c->packets);
	rte_tel_data_add_dict_uint(data, "bytes", c->bytes);
	rte_tel_data_add_dict_uint(data, "charged_packets", c->charged_packets);
	rte_tel_data_add_dict_uint(data, "charged_bytes", c->charged_bytes);
}

static void rank(struct ranking *r, uint32_t rule, struct dpi_count count)
{
	uint32_t at = r->count;

	while (at > 0 && r->counts[at - 1].charged_bytes < count.charged_bytes)
		at--;
	if (at == MOST || count.charged_bytes == 0)
		return;
	if (r->count < MOST)
		r->count++;
	for (uint32_t i = r->count - 1; i > at; i--) {
		r->counts[i] = r->counts[i - 1];
		r->rules[i] = r->rules[i - 1];
	}
	r->counts[at] = count;
	r->rules[at] = rule;
}

static int show_most(const struct dpi_table *t, struct rte_tel_data *data)
{
	struct ranking ranking = {.count = 0};

	for (uint32_t rule = 0; rule < t->settings->rule_count; rule++)
		rank(&ranking, rule, dpi_table_count(t, rule));
	rte_tel_data_start_array(data, RTE_TEL_CONTAINER);
	for (uint32_t i = 0; i < ranking.count; i++) {
		struct rte_tel_data *one = rte_tel_data_alloc();
		if (one == NULL)
			return -1;
		add_members(one, t->settings->rules[ranking.rules[i]].id, &ranking.counts[i]);
		rte_tel_data_add_array_container(data, one, 0);
	}
	return 0;
}

static int show_one(const struct dpi_table *t, const char *id, struct rte_tel_data *data)
{
	struct dpi_count count;

	if (!dpi_table_count_of(t, id, &count))
		return -1;
	add_members(data, id, &count);
	return 0;
}

static int show(const char *command, const char *params, struct rte_tel_data *data)
{
	(void)command;
	pthread_mutex_lock(&rcu_tables_lock);
	const struct dpi_table *t = rcu_tables_get(shown);
	int result = params == NULL || params[0] == '\0' ? show_most(t, data) : show_one(t, params, data);
	pthread_mutex_unlock(&rcu_tables_lock);
	return result;
}

bool dpi_telemetry_register(const struct rcu_tables *rcu)
{
	shown = rcu;
	if (rte_telemetry_register_cmd("/nalm/dpi", show, "Rules by charged bytes. Parameter: the id of one.") == 0)
		return true;
	fprintf(stderr, "telemetry: cannot offer /nalm/dpi\n");
	return false;
}
