/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ether.h>

#include "config/config_lines.h"
#include "l2fwd/l2fwd_config.h"
#include "l2fwd/l2fwd_generate.h"

/* The line of a station; those that are generated come after every line. */
struct place {
	uint64_t address;
	uint32_t line;
	bool forward;
};

struct places {
	struct place *list;
	uint32_t count, room;
};

struct reading {
	struct config *config;
	struct places *places;
	const char *path;
};

static bool add(struct places *p, struct place place)
{
	if (p->count == p->room) {
		uint32_t room = p->room == 0 ? 64 : p->room * 2;
		struct place *grown = realloc(p->list, room * sizeof(*grown));
		if (grown == NULL)
			return false;
		p->list = grown;
		p->room = room;
	}
	p->list[p->count++] = place;
	return true;
}

static void read_station(const struct reading *r, uint32_t line, const char *mac, const char *action)
{
	struct places *p = r->places;
	struct place place = {.line = line, .forward = strcmp(action, "forward") == 0};
	struct rte_ether_addr address;

	if (rte_ether_unformat_addr(mac, &address) != 0)
		config_mistake_in_file(r->config, r->path, line, "%s: expected a MAC address like 02:00:00:00:20:01",
				       mac);
	else if (!rte_is_unicast_ether_addr(&address))
		config_mistake_in_file(r->config, r->path, line, "%s is a group address, of no single station", mac);
	else if (!place.forward && strcmp(action, "filter") != 0)
		config_mistake_in_file(r->config, r->path, line, "%s: expected forward or filter", action);
	else if (p->count == L2FWD_STATIONS_MAX)
		config_mistake_in_file(r->config, r->path, line, "more than %u stations", L2FWD_STATIONS_MAX);
	else {
		memcpy(&place.address, &address, sizeof(address));
		if (!add(p, place))
			config_mistake_in_file(r->config, r->path, line, "no memory");
	}
}

static void read_line(void *reading, uint32_t line, char *text)
{
	const struct reading *r = reading;
	char mac[18], action[16], rest;

	if (sscanf(text, " station %17s %15s %c", mac, action, &rest) == 2)
		read_station(r, line, mac, action);
	else
		config_mistake_in_file(r->config, r->path, line, "expected `station <MAC> forward|filter`");
}

static bool generate(struct places *p, uint32_t count, uint64_t seed)
{
	for (uint32_t i = 0; i < count; i++)
		if (!add(p, (struct place){l2fwd_generated_address(seed, i), UINT32_MAX, true}))
			return false;
	return true;
}

/* By address, then by line. */
static int compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Keeps one station of each address, that of the file. A second line for one is a mistake. */
static void keep(struct config *config, struct l2fwd_settings *s, const struct places *p, const char *path)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const struct place *is = &p->list[i];
		if (i != 0 && p->list[i - 1].address == is->address) {
			if (is->line != UINT32_MAX)
				config_mistake_in_file(config, path, is->line, "line %u already has this station", p->list[i - 1].line);
			continue;
		}
		s->stations[s->count++] = (struct l2fwd_station){is->address, is->forward};
	}
}

static bool read_stations(struct config *config, struct l2fwd_settings *s)
{
	uint32_t generated = (uint32_t)config_u64(config, "l2fwd", "stations_generated", 0, 0, L2FWD_STATIONS_MAX);
	uint64_t seed = config_u64(config, "l2fwd", "stations_seed", 1, 0, UINT64_MAX);
	char *path = config_path(config, "l2fwd", "stations");
	struct places places = {0};

	if (path != NULL)
		config_read_lines(config, "l2fwd", "stations", path, read_line,
				  &(struct reading){config, &places, path});
	bool ok = generate(&places, generated, seed);
	s->stations = calloc(places.count + 1, sizeof(*s->stations));
	ok = ok && s->stations != NULL;
	if (ok && places.count != 0) {
		qsort(places.list, places.count, sizeof(*places.list), compare);
		keep(config, s, &places, path);
	}
	free(places.list);
	free(path);
	return ok;
}

void *l2fwd_configure(struct config *config)
{
	static const char *const unknown[] = {"flood", "drop", NULL}, *const frames[] = {"all", "not_ip", NULL};
	struct l2fwd_settings *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->floods = config_choice(config, "l2fwd", "unknown", "flood", unknown) == 0;
	s->switches_ip = config_choice(config, "l2fwd", "frames", "all", frames) == 0;
	if (read_stations(config, s))
		return s;
	l2fwd_release(s);
	return NULL;
}

void l2fwd_release(void *settings)
{
	struct l2fwd_settings *s = settings;

	free(s->stations);
	free(s);
}
