/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "dpi/dpi_matcher.h"

/* libhs exports its copies per instruction set. hs_scan() takes the best the CPU has: AVX-512 natively, AVX2 under
 * valgrind. Calling the AVX2 copy makes a count under valgrind one of the code that also runs natively. */
hs_error_t avx2_hs_scan(const hs_database_t *, const char *, unsigned int, unsigned int, hs_scratch_t *,
			match_event_handler, void *) __attribute__((weak));

static bool have_avx2(void)
{
	return __builtin_cpu_supports("avx2") && avx2_hs_scan != NULL;
}

static bool compile(struct dpi_matcher *m, const struct dpi_settings *s)
{
	uint32_t n = s->rule_count;
	const char **patterns = calloc(n, sizeof(*patterns));
	unsigned int *flags = calloc(n, sizeof(*flags)), *ids = calloc(n, sizeof(*ids));
	hs_platform_info_t platform = {
		.tune = HS_TUNE_FAMILY_GENERIC,
		.cpu_features = have_avx2() ? HS_CPU_FEATURES_AVX2 : 0,
	};
	hs_compile_error_t *error = NULL;
	hs_error_t result = HS_NOMEM;

	if (patterns != NULL && flags != NULL && ids != NULL) {
		for (uint32_t i = 0; i < n; i++) {
			patterns[i] = s->rules[i].pattern;
			flags[i] = HS_FLAG_SINGLEMATCH; /* a rule counts once per packet */
			ids[i] = i;
		}
		result = hs_compile_multi(patterns, flags, ids, n, HS_MODE_BLOCK, &platform, &m->database, &error);
	}
	if (result != HS_SUCCESS && error != NULL && error->expression >= 0)
		fprintf(stderr, "%s:%u: rule %s: %s\n", s->path, s->rules[error->expression].line,
			s->rules[error->expression].id, error->message);
	else if (result != HS_SUCCESS)
		fprintf(stderr, "%s: Hyperscan cannot compile the rules: %s\n", s->path,
			error != NULL ? error->message : "no memory");
	hs_free_compile_error(error);
	free(patterns);
	free(flags);
	free(ids);
	return result == HS_SUCCESS;
}

bool dpi_matcher_open(struct dpi_matcher *m, const struct dpi_settings *s)
{
	*m = (struct dpi_matcher){.scan = have_avx2() ? avx2_hs_scan : hs_scan};
	if (!compile(m, s))
		return false;
	if (hs_alloc_scratch(m->database, &m->scratch) != HS_SUCCESS) {
		fprintf(stderr, "dpi: no memory for Hyperscan's scratch space\n");
		dpi_matcher_close(m);
		return false;
	}
	fprintf(stderr, "dpi: %u rules, scanning with %s\n", s->rule_count,
		have_avx2() ? "avx2_hs_scan (pinned)" : "hs_scan (no AVX2: what libhs chooses)");
	return true;
}

void dpi_matcher_close(struct dpi_matcher *m)
{
	hs_free_scratch(m->scratch);
	hs_free_database(m->database);
}
