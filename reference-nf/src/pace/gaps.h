/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random times between bursts: independent, a whole number of steps of 10 ns, as in the queue model of Geissler et al.
 * Gaps are drawn from a table of equally probable ones, each the mean of its share of the distribution.
 */
#ifndef GAPS_H
#define GAPS_H

#include <stdbool.h>
#include <stdint.h>

#define GAPS_DRAWS_LOG2 16u
#define GAPS_DRAWS (1u << GAPS_DRAWS_LOG2)
#define GAPS_STEP_NS 10.0
#define GAPS_MOST_STEPS 10000.0 /* mean gaps above have longer steps */
#define GAPS_MOST_CV 4.0

enum gaps_family {
	GAPS_CONSTANT,
	GAPS_POISSON,	/* a Poisson number of steps */
	GAPS_GEOMETRIC, /* on 0, 1, ...: close to a Poisson process */
	GAPS_NEGATIVE_BINOMIAL, /* with a CV up to 1/sqrt(mean steps) it is GAPS_POISSON, its limit */
};

struct gaps_settings {
	enum gaps_family family;
	double cv; /* of the negative binomial: standard deviation over mean */
};

/* Reads `cbr`, `poisson`, `geometric` or `nbinom:CV`. */
bool gaps_parse(const char *text, struct gaps_settings *settings);
/* Fills in gaps of a random family in ticks. Their mean is exact. */
void gaps_fill(double gaps[GAPS_DRAWS], const struct gaps_settings *settings, double mean_ns, double ticks_per_ns);

#endif
