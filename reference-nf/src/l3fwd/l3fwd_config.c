/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "l3fwd/l3fwd_config.h"
#include "l3fwd/l3fwd_generate.h"

static void read_next_hop(struct config *config, struct l3fwd_settings *s, const char *path, uint32_t line,
			  unsigned int id, const char *mac)
{
	if (id >= L3FWD_NEXT_HOPS)
		config_mistake_in_file(config, path, line, "next hop %u: the largest id is %u", id, L3FWD_NEXT_HOPS - 1);
	else if (rte_ether_unformat_addr(mac, &s->next_hops[id]) != 0)
		config_mistake_in_file(config, path, line, "%s: expected a MAC address like 02:00:00:00:01:00", mac);
	else
		s->known[id] = true;
}

static void read_route(struct config *config, struct l3fwd_settings *s, const char *path, uint32_t line,
		       const char *text, unsigned int id)
{
	struct ipv4_prefix prefix;
	struct ipv6_prefix prefix6;
	bool is6 = strchr(text, ':') != NULL;

	if (is6 ? !parse_ipv6_prefix(text, &prefix6) : !parse_prefix(text, &prefix))
		config_mistake_in_file(config, path, line,
				       "%s: expected a prefix like 10.0.0.0/8 or 2001:db8::/32, no bits set past its length",
				       text);
	else if (id >= L3FWD_NEXT_HOPS || !s->known[id])
		config_mistake_in_file(config, path, line, "there is no next_hop %u above this line", id);
	else if (is6 ? !l3fwd_add_route6(s, &prefix6, id) : !l3fwd_add_route(s, prefix, id))
		config_mistake_in_file(config, path, line, "no memory");
}

static void read_line(struct config *config, struct l3fwd_settings *s, const char *path, uint32_t line, char *text)
{
	char prefix[IPV6_PREFIX_TEXT + 1], mac[18], rest;
	unsigned int id;

	_Static_assert(IPV6_PREFIX_TEXT == 50, "as in the format below");
	text[strcspn(text, "#\r\n")] = '\0';
	if (text[strspn(text, " \t")] == '\0')
		return;
	if (sscanf(text, " next_hop %u %17s %c", &id, mac, &rest) == 2)
		read_next_hop(config, s, path, line, id, mac);
	else if (sscanf(text, " route %50s %u %c", prefix, &id, &rest) == 2)
		read_route(config, s, path, line, prefix, id);
	else
		config_mistake_in_file(config, path, line, "expected `next_hop <id> <MAC>` or `route <prefix> <id>`");
}

static void read_routes(struct config *config, struct l3fwd_settings *s)
{
	char *path = config_path(config, "l3fwd", "routes");
	char text[256];
	uint32_t line = 0;

	if (path == NULL) {
		config_mistake(config, "l3fwd", "routes", "expected the name of a file of next hops and routes");
		return;
	}
	FILE *file = fopen(path, "r");
	if (file == NULL) {
		config_mistake(config, "l3fwd", "routes", "cannot read %s: %s", path, strerror(errno));
	} else {
		while (fgets(text, sizeof(text), file) != NULL)
			read_line(config, s, path, ++line, text);
		fclose(file);
	}
	free(path);
}

void *l3fwd_configure(struct config *config)
{
	static const char *const others[] = {"drop", "pass", NULL};
	struct l3fwd_settings *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->passes_others = config_choice(config, "l3fwd", "others", "drop", others) == 1;
	read_routes(config, s);
	l3fwd_generate_routes(config, s);
	return s;
}
