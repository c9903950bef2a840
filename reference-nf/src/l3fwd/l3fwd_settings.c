/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "l3fwd/l3fwd_settings.h"

/* Returns the array with room for one more element; it grows at powers of two. NULL: no memory. */
static void *grow(void *array, uint32_t count, size_t size)
{
	if (count != 0 && (count & (count - 1)) != 0)
		return array;
	return realloc(array, (count == 0 ? 1 : (size_t)count * 2) * size);
}

bool l3fwd_add_route(struct l3fwd_settings *s, struct ipv4_prefix prefix, uint32_t next_hop)
{
	struct l3fwd_route *grown = grow(s->routes, s->route_count, sizeof(*grown));
	if (grown == NULL)
		return false;
	s->routes = grown;
	grown[s->route_count++] = (struct l3fwd_route){prefix, next_hop};
	return true;
}

bool l3fwd_add_route6(struct l3fwd_settings *s, const struct ipv6_prefix *prefix, uint32_t next_hop)
{
	struct l3fwd_route6 *grown = grow(s->routes6, s->route6_count, sizeof(*grown));
	if (grown == NULL)
		return false;
	s->routes6 = grown;
	grown[s->route6_count++] = (struct l3fwd_route6){*prefix, (uint8_t)next_hop};
	return true;
}

void l3fwd_release(void *settings)
{
	struct l3fwd_settings *s = settings;
	free(s->routes);
	free(s->routes6);
	free(s);
}
