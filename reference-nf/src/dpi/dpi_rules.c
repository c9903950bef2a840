/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules from files: `id action pattern`, and `id action protocol source ports destination ports [pattern]`.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <hs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpi/dpi_rules.h"

static enum dpi_action parse_action(const char *text)
{
	if (strcmp(text, "pass") == 0)
		return DPI_PASS;
	if (strcmp(text, "mark") == 0)
		return DPI_MARK;
	return strcmp(text, "drop") == 0 ? DPI_DROP : DPI_NONE;
}

/* `any`, `7` or `7-9`. */
static bool parse_ports(const char *text, uint16_t ports[2])
{
	unsigned int first, last;
	char rest;

	ports[0] = 0;
	ports[1] = UINT16_MAX;
	if (strcmp(text, "any") == 0)
		return true;
	int n = sscanf(text, "%5u-%5u%c", &first, &last, &rest);
	if (n == 1 && strchr(text, '-') == NULL && sscanf(text, "%5u%c", &first, &rest) == 1)
		last = first;
	else if (n != 2)
		return false;
	ports[0] = (uint16_t)first;
	ports[1] = (uint16_t)last;
	return first <= last && last <= UINT16_MAX;
}

static bool bits_past_are_0(const uint8_t *address, uint32_t bits)
{
	for (uint32_t bit = bits; bit < 128; bit++)
		if (address[bit / 8] >> (7 - bit % 8) & 1)
			return false;
	return true;
}

/* Parses `any` or a prefix of either version; removes from versions those that it excludes. */
static bool parse_network(const char *text, uint8_t address[16], uint8_t *bits, uint8_t *versions)
{
	char host[INET6_ADDRSTRLEN], rest;
	unsigned int length;

	memset(address, 0, 16);
	*bits = 0;
	if (strcmp(text, "any") == 0)
		return true;
	if (sscanf(text, "%45[0-9a-fA-F.:]/%3u%c", host, &length, &rest) != 2)
		return false;
	bool ipv4 = inet_pton(AF_INET, host, address) == 1;
	if (!ipv4 && inet_pton(AF_INET6, host, address) != 1)
		return false;
	*versions &= ipv4 ? DPI_IPV4 : DPI_IPV6;
	*bits = (uint8_t)length;
	return length <= (ipv4 ? 32 : 128) && bits_past_are_0(address, length);
}

static bool parse_protocol(const char *text, uint8_t *protocol)
{
	static const struct {
		const char *name;
		uint8_t number;
	} known[] = {{"any", 0}, {"tcp", IPPROTO_TCP}, {"udp", IPPROTO_UDP}};

	for (uint32_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(text, known[i].name) == 0) {
			*protocol = known[i].number;
			return true;
		}
	return false;
}

/* Parses the six words after the action. */
static bool parse_tuple(struct dpi_place *at, struct dpi_tuple *t, char words[5][48])
{
	*t = (struct dpi_tuple){.versions = DPI_IPV4 | DPI_IPV6};
	if (!parse_protocol(words[0], &t->protocol))
		DPI_MISTAKE(at, "protocol %s: expected tcp, udp or any", words[0]);
	else if (!parse_network(words[1], t->source, &t->source_bits, &t->versions) ||
		 !parse_network(words[3], t->destination, &t->destination_bits, &t->versions))
		DPI_MISTAKE(at, "%s to %s: expected any, or prefixes like 10.0.0.0/8 or 2001:db8::/32, no bits set past "
			    "their length", words[1], words[3]);
	else if (t->versions == 0)
		DPI_MISTAKE(at, "%s to %s: expected one IP version", words[1], words[3]);
	else if (!parse_ports(words[2], t->source_ports) || !parse_ports(words[4], t->destination_ports))
		DPI_MISTAKE(at, "ports %s to %s: expected any, a port, or a range like 80-88", words[2], words[4]);
	else
		return true;
	return false;
}

/* Patterns that compile one by one also compile together. */
static bool is_pattern(struct dpi_place *at, const char *id, const char *pattern)
{
	hs_expr_info_t *info = NULL;
	hs_compile_error_t *error = NULL;
	bool good = hs_expression_info(pattern, HS_FLAG_SINGLEMATCH, &info, &error) == HS_SUCCESS;

	if (!good)
		DPI_MISTAKE(at, "rule %s: %s", id, error == NULL ? "no memory" : error->message);
	free(info);
	hs_free_compile_error(error);
	return good;
}

static void add(struct dpi_place *at, const char *id, const char *action, const struct dpi_tuple *tuple,
		const char *pattern)
{
	struct dpi_rule rule = {.action = parse_action(action), .tuple = *tuple, .path = at->path, .line = at->line};

	snprintf(rule.id, sizeof(rule.id), "%s", id);
	if (rule.action == DPI_NONE) {
		DPI_MISTAKE(at, "action %s: expected pass, mark or drop", action);
		return;
	}
	if (pattern[0] != '\0' && !is_pattern(at, id, pattern))
		return;
	if (pattern[0] != '\0')
		rule.pattern = strdup(pattern);
	if ((pattern[0] != '\0' && rule.pattern == NULL) || !dpi_add_rule(at->settings, &rule)) {
		free(rule.pattern);
		DPI_MISTAKE(at, "no memory");
	}
}

static void read_pattern(struct dpi_place *at, const char *text)
{
	char id[DPI_RULE_NAME], action[8];
	int pattern = 0;

	if (sscanf(text, "%31[A-Za-z0-9_.-] %7s %n", id, action, &pattern) != 2 || text[pattern] == '\0')
		DPI_MISTAKE(at, "expected `id action pattern`");
	else
		add(at, id, action, &(struct dpi_tuple){0}, text + pattern);
}

static void read_rule(struct dpi_place *at, const char *text)
{
	char id[DPI_RULE_NAME], action[8], w[5][48];
	struct dpi_tuple tuple;
	int pattern = 0;

	if (sscanf(text, "%31[A-Za-z0-9_.-] %7s %47s %47s %47s %47s %47s %n", id, action, w[0], w[1], w[2], w[3],
		   w[4], &pattern) != 7)
		DPI_MISTAKE(at, "expected `id action protocol source ports destination ports [pattern]`");
	else if (parse_tuple(at, &tuple, w))
		add(at, id, action, &tuple, text + pattern);
}

void dpi_read_file(struct dpi_place *at, const char *section, const char *key,
		   void (*read_line)(struct dpi_place *, const char *))
{
	char text[1024];
	FILE *file = fopen(at->path, "r");

	if (file == NULL) {
		config_mistake(at->config, section, key, "cannot read %s: %s", at->path, strerror(errno));
		return;
	}
	for (at->line = 1; fgets(text, sizeof(text), file) != NULL; at->line++) {
		size_t n = strlen(text);
		if (n == sizeof(text) - 1 && text[n - 1] != '\n') {
			DPI_MISTAKE(at, "a line may have at most %zu characters; the rest of the file is not read",
				sizeof(text) - 2);
			break;
		}
		text[strcspn(text, "\r\n")] = '\0';
		if (text[0] != '\0' && text[0] != '#')
			read_line(at, text);
	}
	fclose(file);
}

void dpi_read_rules(struct config *config, const char *section, const char *key, struct dpi_settings *s)
{
	dpi_read_file(&(struct dpi_place){config, s, s->rules_path, 0}, section, key, read_rule);
}

void dpi_read_patterns(struct config *config, struct dpi_settings *s)
{
	dpi_read_file(&(struct dpi_place){config, s, s->patterns_path, 0}, "dpi", "patterns", read_pattern);
}
