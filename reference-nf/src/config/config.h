/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One INI file and its overrides. Readers ask for a key and get a value that is in range; every mistake is said on
 * stderr with its place, and counted, so that one run names them all.
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

/* NULL: said on stderr. */
struct config *config_load(const char *path);
void config_free(struct config *config);

/* "section.key=value" replaces or adds; a wrong form counts as a mistake. */
void config_override(struct config *config, const char *assignment);

/* Says what is wrong with a key, where it stands, and counts it. */
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
/* A file name; in the file relative to the file, in an override relative to the working directory. NULL: absent. */
char *config_path(struct config *config, const char *section, const char *key);
struct ipv4_prefix config_prefix(struct config *config, const char *section, const char *key, const char *fallback);

/* Calls differ for every key that stands in both with different values, or in one of them; a value that is not there is
 * NULL. */
void config_compare(const struct config *was, const struct config *is,
		    void (*differ)(void *arg, const char *section, const char *key, const char *was, const char *is),
		    void *arg);

bool config_has_section(const struct config *config, const char *section);

/* Keys nobody asked for are mistakes: call it when every reader has read. */
void config_check_unknown(struct config *config);

/* "a.b.c.d/len"; false if it is not one, or has bits set past its length. */
bool parse_prefix(const char *text, struct ipv4_prefix *prefix);

#endif
