/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One INI file and its overrides. Readers request a key and get a value that is in range. Every mistake is reported on
 * stderr with its place and counted, so that one run reports them all.
 */
#ifndef CONFIG_H
#define CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct config;

struct ipv4_prefix {
	uint32_t address; /* host byte order, bits past length are 0 */
	uint32_t length;  /* 0..32 */
};

static inline uint32_t ipv4_mask(uint32_t length)
{
	return length == 0 ? 0 : UINT32_MAX << (32 - length);
}

static inline bool ipv4_inside(struct ipv4_prefix prefix, uint32_t address)
{
	return (address & ipv4_mask(prefix.length)) == prefix.address;
}

/* NULL: reported on stderr. */
struct config *config_load(const char *path);
void config_free(struct config *config);

/* "section.key=value" replaces or adds a value; another form counts as a mistake. */
void config_override(struct config *config, const char *assignment);

/* Reports and counts a mistake in a key, with its place. */
void config_mistake(struct config *config, const char *section, const char *key, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A mistake in a file that the configuration names. */
void config_mistake_in_file(struct config *config, const char *path, uint32_t line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
uint32_t config_mistakes(const struct config *config);

uint64_t config_u64(struct config *config, const char *section, const char *key, uint64_t fallback, uint64_t min,
		    uint64_t max);
/* Index of the value in names (ends with NULL). */
uint32_t config_choice(struct config *config, const char *section, const char *key, const char *fallback,
		       const char *const *names);
/* The value as written, owned by config. NULL if it is absent and fallback is NULL. */
const char *config_text(struct config *config, const char *section, const char *key, const char *fallback);
/* A file name. In the file it is relative to the file, in an override to the working directory. NULL: absent. */
char *config_path(struct config *config, const char *section, const char *key);
struct ipv4_prefix config_prefix(struct config *config, const char *section, const char *key, const char *fallback);

/* Calls differ for every key whose value differs or that only one of both has; the missing value is NULL. */
void config_compare(const struct config *was, const struct config *is,
		    void (*differ)(void *arg, const char *section, const char *key, const char *was, const char *is),
		    void *arg);

bool config_has_section(const struct config *config, const char *section);

/* Reports keys that no reader requested as mistakes. Call it after all readers. */
void config_check_unknown(struct config *config);

/* Parses a whole number from min to max, of digits alone: sscanf()'s %u takes a sign too, and wraps what is too large. */
bool parse_whole(const char *text, uint32_t min, uint32_t max, uint32_t *number);

/* Parses "a.b.c.d/len". false: another form, or bits set past the length. */
bool parse_prefix(const char *text, struct ipv4_prefix *prefix);

#endif
