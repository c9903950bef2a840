/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config_lines.h"
#include "l3fwd/l3fwd_config.h"
#include "l3fwd/l3fwd_generate.h"

struct reading {
	struct config *config;
	struct l3fwd_settings *settings;
	const char *path;
};

static void read_next_hop(const struct reading *r, uint32_t line, const char *number, const char *mac)
{
	struct l3fwd_settings *s = r->settings;
	uint32_t id;

	if (!parse_whole(number, 0, L3FWD_NEXT_HOPS - 1, &id))
		config_mistake_in_file(r->config, r->path, line, "next hop %s: expected a number from 0 to %u", number,
				       L3FWD_NEXT_HOPS - 1);
	else if (rte_ether_unformat_addr(mac, &s->next_hops[id]) != 0)
		config_mistake_in_file(r->config, r->path, line, "%s: expected a MAC address like 02:00:00:00:01:00",
				       mac);
	else
		s->known[id] = true;
}

static void read_route(const struct reading *r, uint32_t line, const char *text, const char *number)
{
	struct l3fwd_settings *s = r->settings;
	struct ipv4_prefix prefix;
	struct ipv6_prefix prefix6;
	bool is6 = strchr(text, ':') != NULL;
	uint32_t id;

	if (is6 ? !parse_ipv6_prefix(text, &prefix6) : !parse_prefix(text, &prefix))
		config_mistake_in_file(r->config, r->path, line,
				       "%s: expected a prefix like 10.0.0.0/8 or 2001:db8::/32, no bits set past its length",
				       text);
	else if (!parse_whole(number, 0, L3FWD_NEXT_HOPS - 1, &id) || !s->known[id])
		config_mistake_in_file(r->config, r->path, line, "there is no next_hop %s above this line", number);
	else if (is6 ? !l3fwd_add_route6(s, &prefix6, id) : !l3fwd_add_route(s, prefix, id))
		config_mistake_in_file(r->config, r->path, line, "no memory");
}

static void read_line(void *reading, uint32_t line, char *text)
{
	const struct reading *r = reading;
	char prefix[IPV6_PREFIX_TEXT + 1], mac[18], id[12], rest;

	_Static_assert(IPV6_PREFIX_TEXT == 50, "as in the format below");
	if (sscanf(text, " next_hop %11s %17s %c", id, mac, &rest) == 2)
		read_next_hop(r, line, id, mac);
	else if (sscanf(text, " route %50s %11s %c", prefix, id, &rest) == 2)
		read_route(r, line, prefix, id);
	else
		config_mistake_in_file(r->config, r->path, line,
				       "expected `next_hop <id> <MAC>` or `route <prefix> <id>`");
}

static void read_routes(struct config *config, struct l3fwd_settings *s)
{
	char *path = config_path(config, "l3fwd", "routes");

	if (path == NULL) {
		config_mistake(config, "l3fwd", "routes", "expected the name of a file of next hops and routes");
		return;
	}
	config_read_lines(config, "l3fwd", "routes", path, read_line, &(struct reading){config, s, path});
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
