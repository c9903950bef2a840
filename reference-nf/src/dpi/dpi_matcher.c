/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "dpi/dpi_cache.h"
#include "dpi/dpi_matcher.h"

/* libhs exports its copies per instruction set. hs_scan() takes the best the CPU has: AVX-512 natively, AVX2 under
 * valgrind. Calling the AVX2 copy makes a count under valgrind one of the code that also runs natively. */
hs_error_t avx2_hs_scan(const hs_database_t *, const char *, unsigned int, unsigned int, hs_scratch_t *,
			match_event_handler, void *) __attribute__((weak));

static bool have_avx2(void)
{
	return __builtin_cpu_supports("avx2") && avx2_hs_scan != NULL;
}

static void free_patterns(struct dpi_patterns *p)
{
	free(p->texts);
	free(p->flags);
	free(p->ids);
}

static bool list_patterns(struct dpi_patterns *p, const struct dpi_settings *s)
{
	*p = (struct dpi_patterns){
		.texts = calloc(s->rule_count, sizeof(*p->texts)),
		.flags = calloc(s->rule_count, sizeof(*p->flags)),
		.ids = calloc(s->rule_count, sizeof(*p->ids)),
		.platform = {
			.tune = HS_TUNE_FAMILY_GENERIC,
			.cpu_features = have_avx2() ? HS_CPU_FEATURES_AVX2 : 0,
		},
	};
	if (p->texts == NULL || p->flags == NULL || p->ids == NULL)
		return false;
	for (uint32_t i = 0; i < s->rule_count; i++) {
		if (s->rules[i].pattern == NULL)
			continue;
		p->texts[p->count] = s->rules[i].pattern;
		p->flags[p->count] = HS_FLAG_SINGLEMATCH; /* a rule counts once per packet */
		p->ids[p->count++] = i;
	}
	return true;
}

static void say_refused(const struct dpi_patterns *p, const struct dpi_settings *s, const hs_compile_error_t *error)
{
	const struct dpi_rule *rule;

	if (error == NULL || error->expression < 0) {
		fprintf(stderr, "dpi: Hyperscan cannot compile %u patterns: %s\n", p->count,
			error != NULL ? error->message : "no memory");
		return;
	}
	rule = &s->rules[p->ids[error->expression]];
	fprintf(stderr, "%s:%u: rule %s: %s\n", rule->path != NULL ? rule->path : "generated", rule->line, rule->id,
		error->message);
}

static hs_database_t *compile(const struct dpi_patterns *p, const struct dpi_settings *s)
{
	hs_database_t *database = NULL;
	hs_compile_error_t *error = NULL;

	if (hs_compile_multi(p->texts, p->flags, p->ids, p->count, HS_MODE_BLOCK, &p->platform, &database, &error) !=
	    HS_SUCCESS)
		say_refused(p, s, error);
	hs_free_compile_error(error);
	return database;
}

static hs_database_t *find_or_compile(const struct dpi_patterns *p, const struct dpi_settings *s)
{
	hs_database_t *database = s->cache == NULL ? NULL : dpi_cache_load(s->cache, p);

	if (database != NULL)
		return database;
	database = compile(p, s);
	if (database != NULL && s->cache != NULL)
		dpi_cache_store(s->cache, p, database);
	return database;
}

bool dpi_matcher_open(struct dpi_matcher *m, const struct dpi_settings *s)
{
	struct dpi_patterns patterns;
	bool ok = list_patterns(&patterns, s);

	*m = (struct dpi_matcher){.scan = have_avx2() ? avx2_hs_scan : hs_scan};
	if (!ok)
		fprintf(stderr, "dpi: no memory for %u patterns\n", s->rule_count);
	else if (patterns.count != 0) {
		m->database = find_or_compile(&patterns, s);
		ok = m->database != NULL;
	}
	if (ok)
		fprintf(stderr, "dpi: %u rules, %u with patterns, scanning with %s\n", s->rule_count, patterns.count,
			have_avx2() ? "avx2_hs_scan (pinned)" : "hs_scan (no AVX2: what libhs chooses)");
	free_patterns(&patterns);
	return ok;
}

void dpi_matcher_close(struct dpi_matcher *m)
{
	hs_free_database(m->database);
}
