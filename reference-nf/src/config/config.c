/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cfgfile.h>

#include "config/config.h"
#include "config/line_finder.h"

struct entry {
	char section[CFG_NAME_LEN];
	char key[CFG_NAME_LEN];
	char value[CFG_VALUE_LEN];
	uint32_t line; /* 0: from an override */
	bool read;
};

struct config {
	char *path;
	struct entry *entries;
	uint32_t count;
	uint32_t mistakes;
};

static struct entry *find(const struct config *c, const char *section, const char *key)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (strcmp(c->entries[i].section, section) == 0 && strcmp(c->entries[i].key, key) == 0)
			return &c->entries[i];
	return NULL;
}

static struct entry *ask(struct config *c, const char *section, const char *key)
{
	struct entry *e = find(c, section, key);
	if (e != NULL)
		e->read = true;
	return e;
}

static bool set(struct config *c, const char *section, const char *key, const char *value, uint32_t line)
{
	struct entry *e = find(c, section, key);
	if (e == NULL) {
		struct entry *grown = realloc(c->entries, (c->count + 1) * sizeof(*grown));
		if (grown == NULL)
			return false;
		c->entries = grown;
		e = &grown[c->count++];
		memset(e, 0, sizeof(*e));
	}
	snprintf(e->section, sizeof(e->section), "%s", section);
	snprintf(e->key, sizeof(e->key), "%s", key);
	snprintf(e->value, sizeof(e->value), "%s", value);
	e->line = line;
	return true;
}

static bool copy_section(struct config *c, struct rte_cfgfile *file, const char *section)
{
	int n = rte_cfgfile_section_num_entries(file, section);
	if (n <= 0)
		return true;
	struct rte_cfgfile_entry *entries = calloc((size_t)n, sizeof(*entries));
	if (entries == NULL)
		return false;
	n = rte_cfgfile_section_entries(file, section, entries, n);
	bool ok = true;
	for (int i = 0; ok && i < n; i++)
		ok = set(c, section, entries[i].name, entries[i].value,
			 find_config_line(c->path, section, entries[i].name));
	free(entries);
	return ok;
}

/* rte_cfgfile gives the entries of the first section of a name only. A second one is a mistake, which is reported, and
 * its keys are not read. */
static bool is_repeated(struct config *c, char (*names)[CFG_NAME_LEN], int number)
{
	uint32_t before = 0;

	for (int i = 0; i < number; i++)
		before += strcmp(names[i], names[number]) == 0;
	if (before == 0)
		return false;
	config_mistake_in_file(c, c->path, find_section_line(c->path, names[number], before + 1),
			       "section [%s] is already in line %" PRIu32 ": give all its keys there", names[number],
			       find_section_line(c->path, names[number], 1));
	return true;
}

static bool copy_all(struct config *c, struct rte_cfgfile *file)
{
	int n = rte_cfgfile_num_sections(file, NULL, 0);
	if (n <= 0)
		return true;
	char(*names)[CFG_NAME_LEN] = calloc((size_t)n, sizeof(*names));
	char **pointers = calloc((size_t)n, sizeof(*pointers));
	bool ok = names != NULL && pointers != NULL;
	for (int i = 0; ok && i < n; i++)
		pointers[i] = names[i];
	if (ok)
		n = rte_cfgfile_sections(file, pointers, n);
	for (int i = 0; ok && i < n; i++)
		ok = is_repeated(c, names, i) || copy_section(c, file, names[i]);
	free(pointers);
	free(names);
	return ok;
}

struct config *config_load(const char *path)
{
	FILE *probe = fopen(path, "r");
	if (probe == NULL) {
		fprintf(stderr, "%s: cannot read the configuration: %s\n", path, strerror(errno));
		return NULL;
	}
	fclose(probe);
	uint32_t bad = find_bad_line(path); /* rte_cfgfile ignores such lines */
	if (bad != 0) {
		fprintf(stderr, "%s:%" PRIu32 ": expected [section] or key = value\n", path, bad);
		return NULL;
	}
	struct rte_cfgfile_parameters params = {.comment_character = '#'};
	struct rte_cfgfile *file = rte_cfgfile_load_with_params(path, 0, &params);
	if (file == NULL) {
		fprintf(stderr, "%s: rte_cfgfile cannot read it; a line may have at most %d characters\n", path,
			CFG_VALUE_LEN);
		return NULL;
	}
	struct config *c = calloc(1, sizeof(*c));
	bool ok = c != NULL && (c->path = strdup(path)) != NULL && copy_all(c, file);
	rte_cfgfile_close(file);
	if (!ok) {
		fprintf(stderr, "%s: no memory for the configuration\n", path);
		config_free(c);
		return NULL;
	}
	return c;
}

void config_free(struct config *c)
{
	if (c == NULL)
		return;
	free(c->entries);
	free(c->path);
	free(c);
}

void config_override(struct config *c, const char *assignment)
{
	const char *dot = strchr(assignment, '.');
	const char *equals = strchr(assignment, '=');
	char section[CFG_NAME_LEN], key[CFG_NAME_LEN];

	if (dot == NULL || equals == NULL || dot > equals || dot == assignment || equals == dot + 1 ||
	    (size_t)(dot - assignment) >= sizeof(section) || (size_t)(equals - dot) > sizeof(key) ||
	    strlen(equals + 1) >= CFG_VALUE_LEN) {
		fprintf(stderr, "--set %s: expected section.key=value, the value shorter than %d characters\n",
			assignment, CFG_VALUE_LEN);
		c->mistakes++;
		return;
	}
	snprintf(section, sizeof(section), "%.*s", (int)(dot - assignment), assignment);
	snprintf(key, sizeof(key), "%.*s", (int)(equals - dot - 1), dot + 1);
	if (!set(c, section, key, equals + 1, 0)) {
		fprintf(stderr, "--set %s: no memory\n", assignment);
		c->mistakes++;
	}
}

void config_mistake(struct config *c, const char *section, const char *key, const char *format, ...)
{
	const struct entry *e = find(c, section, key);
	va_list args;

	c->mistakes++;
	if (e == NULL)
		fprintf(stderr, "%s: [%s] %s is not given: ", c->path, section, key);
	else if (e->line == 0)
		fprintf(stderr, "--set %s.%s=%s: ", section, key, e->value);
	else
		fprintf(stderr, "%s:%" PRIu32 ": [%s] %s = %s: ", c->path, e->line, section, key, e->value);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void config_mistake_in_file(struct config *c, const char *path, uint32_t line, const char *format, ...)
{
	va_list args;

	c->mistakes++;
	fprintf(stderr, "%s:%" PRIu32 ": ", path, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

uint32_t config_mistakes(const struct config *c)
{
	return c->mistakes;
}

uint64_t config_u64(struct config *c, const char *section, const char *key, uint64_t fallback, uint64_t min,
		    uint64_t max)
{
	const struct entry *e = ask(c, section, key);
	if (e == NULL)
		return fallback;
	char *end;
	errno = 0;
	uint64_t value = strtoull(e->value, &end, 10);
	if (e->value[0] < '0' || e->value[0] > '9' || *end != '\0' || errno != 0 || value < min || value > max) {
		config_mistake(c, section, key, "expected a whole number from %" PRIu64 " to %" PRIu64, min, max);
		return fallback;
	}
	return value;
}

uint32_t config_choice(struct config *c, const char *section, const char *key, const char *fallback,
		       const char *const *names)
{
	const char *value = config_text(c, section, key, fallback);
	char known[128] = "";

	for (uint32_t i = 0; names[i] != NULL; i++) {
		if (strcmp(names[i], value) == 0)
			return i;
		size_t used = strlen(known);
		snprintf(known + used, sizeof(known) - used, "%s%s", i == 0 ? "" : ", ", names[i]);
	}
	config_mistake(c, section, key, "expected one of: %s", known);
	return 0;
}

const char *config_text(struct config *c, const char *section, const char *key, const char *fallback)
{
	const struct entry *e = ask(c, section, key);
	return e == NULL ? fallback : e->value;
}

char *config_path(struct config *c, const char *section, const char *key)
{
	const struct entry *e = ask(c, section, key);
	if (e == NULL)
		return NULL;
	const char *slash = strrchr(c->path, '/');
	if (e->line == 0 || e->value[0] == '/' || slash == NULL)
		return strdup(e->value);
	char *path;
	return asprintf(&path, "%.*s/%s", (int)(slash - c->path), c->path, e->value) < 0 ? NULL : path;
}

void config_compare(const struct config *was, const struct config *is,
		    void (*differ)(void *arg, const char *section, const char *key, const char *was, const char *is),
		    void *arg)
{
	for (uint32_t i = 0; i < was->count; i++) {
		const struct entry *e = &was->entries[i], *other = find(is, e->section, e->key);
		if (other == NULL || strcmp(e->value, other->value) != 0)
			differ(arg, e->section, e->key, e->value, other == NULL ? NULL : other->value);
	}
	for (uint32_t i = 0; i < is->count; i++) {
		const struct entry *e = &is->entries[i];
		if (find(was, e->section, e->key) == NULL)
			differ(arg, e->section, e->key, NULL, e->value);
	}
}

bool config_has_section(const struct config *c, const char *section)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (strcmp(c->entries[i].section, section) == 0)
			return true;
	return false;
}

bool parse_whole(const char *text, uint32_t min, uint32_t max, uint32_t *number)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	*number = (uint32_t)value;
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && strlen(text) <= 10 && value >= min && value <= max;
}

bool parse_prefix(const char *text, struct ipv4_prefix *prefix)
{
	char address[INET_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	struct in_addr in;
	char *end;

	if (slash == NULL || (size_t)(slash - text) >= sizeof(address) || slash[1] < '0' || slash[1] > '9')
		return false;
	snprintf(address, sizeof(address), "%.*s", (int)(slash - text), text);
	unsigned long length = strtoul(slash + 1, &end, 10);
	if (inet_pton(AF_INET, address, &in) != 1 || *end != '\0' || length > 32)
		return false;
	prefix->address = ntohl(in.s_addr);
	prefix->length = (uint32_t)length;
	return (prefix->address & ~ipv4_mask(prefix->length)) == 0;
}

struct ipv4_prefix config_prefix(struct config *c, const char *section, const char *key, const char *fallback)
{
	struct ipv4_prefix prefix = {0, 0};
	if (!parse_prefix(config_text(c, section, key, fallback), &prefix))
		config_mistake(c, section, key, "expected a prefix like 10.0.0.0/8, no bits set past its length");
	return prefix;
}

void config_check_unknown(struct config *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (!c->entries[i].read)
			config_mistake(c, c->entries[i].section, c->entries[i].key,
				       "no stage or part of the program has this key");
}
