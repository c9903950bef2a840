/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generates rules as content charging uses them: host names in HTTP and TLS, user agents, paths of pages; networks and
 * ports of servers. All have action pass: they charge packets and change nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpi/dpi_generate.h"
#include "table/hashing.h"

#define WORD_BYTES 16

/* A pronounceable name. */
static void make_word(char *word, uint64_t random, uint32_t syllables)
{
	static const char consonants[] = "bcdfghklmnprstvz", vowels[] = "aeiouy";

	for (uint32_t i = 0; i < syllables; i++) {
		*word++ = consonants[random % 16];
		*word++ = vowels[random / 16 % 6];
		random /= 16 * 6;
	}
	*word = '\0';
}

struct host {
	char prefix[8], word[WORD_BYTES], domain[8];
	uint32_t bytes;
};

static struct host make_host(uint64_t random)
{
	static const char *const prefixes[] = {"www", "cdn", "api", "img", "m", "static", "app", "video"};
	static const char *const domains[] = {"com", "net", "org", "io", "de", "cn", "fr", "tv"};
	struct host h;

	snprintf(h.prefix, sizeof(h.prefix), "%s", prefixes[random % 8]);
	make_word(h.word, random >> 8, 4);
	snprintf(h.domain, sizeof(h.domain), "%s", domains[random >> 56 & 7]);
	h.bytes = (uint32_t)(strlen(h.prefix) + strlen(h.word) + strlen(h.domain)) + 2;
	return h;
}

/* Shares of 20. Most rules are host names, as in providers' charging. */
static int make_pattern(char **pattern, uint64_t random, uint64_t more)
{
	uint32_t share = more % 20;
	struct host h = make_host(random);
	char path[WORD_BYTES];

	make_word(path, more >> 8, 3);
	if (share < 8)
		return asprintf(pattern, "\\r\\nHost: %s\\.%s\\.%s\\r", h.prefix, h.word, h.domain);
	if (share < 15) /* RFC 6066, section 3: type host_name, length, name */
		return asprintf(pattern, "\\x00\\x00\\x%02x%s\\.%s\\.%s", h.bytes, h.prefix, h.word, h.domain);
	if (share < 17)
		return asprintf(pattern, "\\r\\nUser-Agent: %s/[0-9.]{1,8}", h.word);
	return asprintf(pattern, "^(GET|POST) /%s/%s[/?. ]", path, h.word);
}

bool dpi_generate_patterns(struct dpi_settings *s, uint32_t count, uint64_t seed)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t random = mix64(mix64(seed) + i);
		struct dpi_rule rule = {.action = DPI_PASS};
		snprintf(rule.id, sizeof(rule.id), "generated_l7_%u", i);
		if (make_pattern(&rule.pattern, random, mix64(random)) < 0)
			return false;
		if (!dpi_add_rule(s, &rule)) {
			free(rule.pattern);
			return false;
		}
	}
	return true;
}

/* Servers are in 11.0.0.0 to 223.255.255.255 and in 2000::/3, apart from private addresses. */
static struct dpi_tuple make_tuple(uint64_t random, uint64_t more)
{
	static const uint16_t ports[][2] = {{443, 443}, {80, 80}, {8080, 8088}, {0, UINT16_MAX}};
	static const uint8_t protocols[] = {6, 17, 0, 6};
	bool ipv6 = more % 4 == 0;
	struct dpi_tuple t = {
		.versions = ipv6 ? DPI_IPV6 : DPI_IPV4,
		.protocol = protocols[more >> 2 & 3],
		.source_ports = {0, UINT16_MAX},
	};

	memcpy(t.destination_ports, ports[more >> 4 & 3], sizeof(t.destination_ports));
	memcpy(t.destination, &random, 6); /* an IPv6 /48, or an IPv4 /32 and two further bytes */
	t.destination[0] = ipv6 ? (uint8_t)(0x20 | (random & 0x1f)) : (uint8_t)(11 + random % (224 - 11));
	t.destination_bits = ipv6 ? 48 : (uint8_t)(20 + (more >> 8) % 13);
	if (!ipv6) {
		uint32_t bits = t.destination_bits;
		memset(t.destination + 4, 0, 12);
		t.destination[2] &= bits >= 24 ? 0xff : (uint8_t)(0xff << (24 - bits));
		t.destination[3] &= bits <= 24 ? 0 : (uint8_t)(0xff << (32 - bits));
	}
	return t;
}

bool dpi_generate_rules(struct dpi_settings *s, uint32_t count, uint64_t seed)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t random = mix64(mix64(~seed) + i);
		struct dpi_rule rule = {.action = DPI_PASS, .tuple = make_tuple(random, mix64(random))};
		snprintf(rule.id, sizeof(rule.id), "generated_l4_%u", i);
		if (!dpi_add_rule(s, &rule))
			return false;
	}
	return true;
}
