/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "traffic/flow_pick.h"

/* Weights, scaled to mean 1, and the flows below and above it. */
struct shares {
	double *weight;
	uint32_t *less, *more;
	uint32_t less_count, more_count;
};

static void weigh(struct shares *s, uint32_t count, double exponent)
{
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += s->weight[i] = pow((double)i + 1, -exponent);
	for (uint32_t i = 0; i < count; i++) {
		s->weight[i] *= count / sum;
		if (s->weight[i] < 1)
			s->less[s->less_count++] = i;
		else
			s->more[s->more_count++] = i;
	}
}

/* Fills each flow below the mean from one above it. */
static void pair(struct shares *s, struct flow_alias *table)
{
	while (s->less_count != 0 && s->more_count != 0) {
		uint32_t poor = s->less[--s->less_count], rich = s->more[s->more_count - 1];
		table[poor] = (struct flow_alias){(uint32_t)(s->weight[poor] * UINT32_MAX), rich};
		s->weight[rich] -= 1 - s->weight[poor];
		if (s->weight[rich] < 1) {
			s->more_count--;
			s->less[s->less_count++] = rich;
		}
	}
	while (s->more_count != 0) {
		uint32_t flow = s->more[--s->more_count];
		table[flow] = (struct flow_alias){UINT32_MAX, flow};
	}
	while (s->less_count != 0) { /* left by rounding */
		uint32_t flow = s->less[--s->less_count];
		table[flow] = (struct flow_alias){UINT32_MAX, flow};
	}
}

static struct flow_alias *make_table(uint32_t count, double exponent)
{
	struct flow_alias *table = malloc(count * sizeof(*table));
	struct shares s = {
		.weight = malloc(count * sizeof(*s.weight)),
		.less = malloc(count * sizeof(*s.less)),
		.more = malloc(count * sizeof(*s.more)),
	};

	if (table != NULL && s.weight != NULL && s.less != NULL && s.more != NULL) {
		weigh(&s, count, exponent);
		pair(&s, table);
	} else {
		free(table);
		table = NULL;
	}
	free(s.weight);
	free(s.less);
	free(s.more);
	return table;
}

bool flow_pick_open(struct flow_pick *p, uint32_t count, double zipf_exponent, uint64_t seed)
{
	*p = (struct flow_pick){.count = count, .state = mix64(seed)};
	if (zipf_exponent == 0)
		return true;
	p->table = make_table(count, zipf_exponent);
	return p->table != NULL;
}

void flow_pick_close(struct flow_pick *p)
{
	free(p->table);
}
