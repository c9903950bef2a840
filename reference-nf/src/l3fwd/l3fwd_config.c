/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hashing.h"
#include "l3fwd/l3fwd_config.h"

static bool add_route(struct l3fwd_settings *s, struct ipv4_prefix prefix, uint32_t next_hop)
{
	if ((s->route_count & (s->route_count - 1)) == 0) { /* grows at powers of two */
		size_t room = s->route_count == 0 ? 1 : (size_t)s->route_count * 2;
		struct l3fwd_route *grown = realloc(s->routes, room * sizeof(*grown));
		if (grown == NULL)
			return false;
		s->routes = grown;
	}
	s->routes[s->route_count++] = (struct l3fwd_route){prefix, next_hop};
	return true;
}

static void read_line(struct config *config, struct l3fwd_settings *s, const char *path, uint32_t line, char *text)
{
	char prefix_text[32], mac[18], rest;
	unsigned int id;
	struct ipv4_prefix prefix;

	text[strcspn(text, "#\r\n")] = '\0';
	if (text[strspn(text, " \t")] == '\0')
		return;
	if (sscanf(text, " next_hop %u %17s %c", &id, mac, &rest) == 2) {
		if (id >= L3FWD_NEXT_HOPS)
			config_mistake_in_file(config, path, line, "next hop %u: ids go to %u", id, L3FWD_NEXT_HOPS - 1);
		else if (rte_ether_unformat_addr(mac, &s->next_hops[id]) != 0)
			config_mistake_in_file(config, path, line, "%s: expected a MAC address like 02:00:00:00:01:00", mac);
		else
			s->known[id] = true;
	} else if (sscanf(text, " route %31s %u %c", prefix_text, &id, &rest) == 2) {
		if (!parse_prefix(prefix_text, &prefix))
			config_mistake_in_file(config, path, line, "%s: expected a prefix like 10.0.0.0/8", prefix_text);
		else if (id >= L3FWD_NEXT_HOPS || !s->known[id])
			config_mistake_in_file(config, path, line, "no next_hop %u above this line", id);
		else if (!add_route(s, prefix, id))
			config_mistake_in_file(config, path, line, "no memory");
	} else {
		config_mistake_in_file(config, path, line, "expected `next_hop <id> <MAC>` or `route <prefix> <id>`");
	}
}

static void read_routes(struct config *config, struct l3fwd_settings *s)
{
	char *path = config_path(config, "l3fwd", "routes");
	char text[256];
	uint32_t line = 0;

	if (path == NULL) {
		config_mistake(config, "l3fwd", "routes", "expected the name of a file with next hops and routes");
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

/* Lengths as in a full BGP table, a little flattened: most are /24, a few are short, few are longer. Of 64. */
static uint32_t length_of(uint64_t random)
{
	static const struct {
		uint8_t below, length;
	} shares[] = {{1, 8}, {2, 11}, {4, 14}, {10, 16}, {15, 19}, {21, 20}, {32, 22}, {62, 24}, {64, 28}};
	uint32_t share = 0;
	while (random % 64 >= shares[share].below)
		share++;
	return shares[share].length;
}

/* Routes in 11.0.0.0 .. 223.255.255.255, so that none hides the file's routes to private addresses below 11. */
static void generate_routes(struct config *config, struct l3fwd_settings *s)
{
	uint32_t n = (uint32_t)config_u64(config, "l3fwd", "routes_generated", 0, 0, 1000000);
	uint64_t seed = config_u64(config, "l3fwd", "routes_seed", 1, 0, UINT64_MAX);
	uint32_t hops = 0;

	while (hops < L3FWD_NEXT_HOPS && s->known[hops])
		hops++;
	if (n != 0 && hops == 0) {
		config_mistake(config, "l3fwd", "routes_generated", "needs next_hop 0 in the routes file");
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t random = mix64(mix64(seed) + i);
		uint32_t length = length_of(random >> 8);
		uint32_t first = 11 + (uint32_t)(random >> 32) % (224 - 11);
		struct ipv4_prefix prefix = {(first << 24 | (uint32_t)random >> 8) & ipv4_mask(length), length};
		if (!add_route(s, prefix, (uint32_t)(random >> 48) % hops)) {
			config_mistake(config, "l3fwd", "routes_generated", "no memory");
			return;
		}
	}
}

void *l3fwd_configure(struct config *config)
{
	struct l3fwd_settings *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	read_routes(config, s);
	generate_routes(config, s);
	return s;
}

void l3fwd_release(void *settings)
{
	struct l3fwd_settings *s = settings;
	free(s->routes);
	free(s);
}
