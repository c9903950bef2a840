/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Execution model pipeline: each group of stages has its own lcore, with rings between them.
 */
#include <string.h>

#include "model/pipeline.h"

static void each_of_its_own(struct model_settings *m, const struct chain *chain)
{
	for (uint32_t i = 0; i < chain->count; i++)
		m->group_end[i] = i + 1;
	m->group_count = chain->count;
}

/* Reads the name at *at, and advances past it and the spaces around it. */
static size_t read_name(const char **at, const char **name)
{
	*at += strspn(*at, " \t");
	*name = *at;
	size_t length = strcspn(*at, " \t,|");
	*at += length;
	*at += strspn(*at, " \t");
	return length;
}

void pipeline_configure(struct model_settings *m, const struct chain *chain, struct config *config)
{
	const char *text = config_text(config, "model", "groups", NULL), *at = text, *name;

	if (m->kind != MODEL_PIPELINE)
		return;
	if (text == NULL) {
		each_of_its_own(m, chain);
		return;
	}
	for (uint32_t i = 0; i < chain->count; i++) {
		size_t length = read_name(&at, &name);
		if (stage_find(name, length) != chain->stages[i].ops)
			break;
		if (*at == '|' || *at == '\0')
			m->group_end[m->group_count++] = i + 1;
		if (*at == '\0' && i + 1 == chain->count)
			return;
		if (*at == '\0')
			break;
		at++;
	}
	config_mistake(config, "model", "groups",
		       "expected the stages of [chain] stages in order, like nat | dpi,l3fwd, not `%s`", text);
}

static void name_link(const struct plan *p, uint32_t first, uint32_t end, char *name, size_t size)
{
	int used = 0;
	for (uint32_t i = first; i < end && (size_t)used < size; i++)
		used += snprintf(name + used, size - (size_t)used, "%s%s", i == first ? "" : "_",
				 p->chain->stages[i].ops->name);
}

bool pipeline_plan(struct plan *p)
{
	const struct model_settings *m = p->model;
	uint32_t first = 0;

	for (uint32_t g = 0; g < m->group_count; g++) {
		struct link *l = &p->links[g];
		char name[sizeof(l->role.name)];

		name_link(p, first, m->group_end[g], name, sizeof(name));
		link_open(l, name, p->chain, g);
		segment_add(&l->segment, p->chain, first, m->group_end[g], 0);
		first = m->group_end[g];
		if (g == 0) {
			l->rx = &p->clocks[0];
		} else {
			l->in = p->links[g - 1].out;
			role_comes_after(&l->role, &p->links[g - 1].role);
		}
		if (g + 1 == m->group_count)
			l->tx = (struct tx_queue){p->io, 0};
		else if ((l->out = plan_ring(p)) == NULL)
			return false;
		plan_add(p, &l->role);
	}
	return true;
}
