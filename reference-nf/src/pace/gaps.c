/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pace/gaps.h"

#define NEGLIGIBLE 1e-12 /* probability of a number of steps at which the distribution ends */

static const char *const names[] = {
	[GAPS_CONSTANT] = "cbr",
	[GAPS_POISSON] = "poisson",
	[GAPS_GEOMETRIC] = "geometric",
	[GAPS_NEGATIVE_BINOMIAL] = "nbinom:",
};

bool gaps_parse(const char *text, struct gaps_settings *s)
{
	size_t prefix = strlen(names[GAPS_NEGATIVE_BINOMIAL]);
	char *end;

	*s = (struct gaps_settings){GAPS_CONSTANT, 0};
	for (enum gaps_family f = GAPS_CONSTANT; f < GAPS_NEGATIVE_BINOMIAL; f++)
		if (strcmp(text, names[f]) == 0) {
			s->family = f;
			return true;
		}
	if (strncmp(text, names[GAPS_NEGATIVE_BINOMIAL], prefix) != 0)
		return false;
	s->family = GAPS_NEGATIVE_BINOMIAL;
	s->cv = strtod(text + prefix, &end);
	return end != text + prefix && *end == '\0' && s->cv > 0 && s->cv <= GAPS_MOST_CV;
}

/* r of the negative binomial: 1 of the geometric distribution; 0 for GAPS_POISSON. */
static double shape_of(const struct gaps_settings *s, double mean)
{
	double variance = s->cv * s->cv * mean * mean;

	if (s->family == GAPS_GEOMETRIC)
		return 1;
	return s->family == GAPS_POISSON || variance <= mean ? 0 : mean * mean / (variance - mean);
}

/* ln(P(k + 1) / P(k)) */
static double log_ratio(double mean, double shape, double k)
{
	return shape == 0 ? log(mean / (k + 1)) : log((k + shape) / (k + 1) * mean / (mean + shape));
}

/* Shares of the probability of equal size, in rising order, each with its mean. */
struct shares {
	double *means;
	double filled, sum; /* of the current share */
	uint32_t count;
};

static void add(struct shares *s, double value, double probability)
{
	double rest = probability * GAPS_DRAWS;

	while (rest > 0 && s->count < GAPS_DRAWS) {
		double part = fmin(rest, 1 - s->filled);
		s->filled += part;
		s->sum += part * value;
		rest -= part;
		if (s->filled < 1)
			return;
		s->means[s->count++] = s->sum;
		s->filled = s->sum = 0;
	}
}

static void fill_shares(double means[GAPS_DRAWS], double mean, double shape)
{
	double log_p = shape == 0 ? -mean : shape * log(shape / (mean + shape));
	struct shares shares = {.means = means};
	double k = 0;

	for (; k <= mean || exp(log_p) > NEGLIGIBLE; k++) {
		add(&shares, k, exp(log_p));
		log_p += log_ratio(mean, shape, k);
	}
	add(&shares, k, 1); /* what rounding has left */
}

void gaps_fill(double gaps[GAPS_DRAWS], const struct gaps_settings *s, double mean_ns, double ticks_per_ns)
{
	double ticks = mean_ns * ticks_per_ns, steps = fmin(mean_ns / GAPS_STEP_NS, GAPS_MOST_STEPS), sum = 0;

	fill_shares(gaps, steps, shape_of(s, steps));
	for (uint32_t i = 0; i < GAPS_DRAWS; i++)
		sum += gaps[i];
	for (uint32_t i = 0; i < GAPS_DRAWS; i++)
		gaps[i] *= ticks * GAPS_DRAWS / sum;
}
