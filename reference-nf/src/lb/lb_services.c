/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config_lines.h"
#include "lb/lb_services.h"

struct reader {
	struct config *config;
	struct lb_settings *settings;
	const char *path;
	uint32_t line;
	bool skip;	/* the service above is wrong: its back ends are ignored */
	bool no_memory; /* nothing more is read */
};

#define MISTAKE(r, ...) config_mistake_in_file((r)->config, (r)->path, (r)->line, __VA_ARGS__)

/* Parses "a.b.c.d:port", the port above 0. */
static bool parse_end(const char *text, uint32_t *address, uint16_t *port)
{
	char dotted[INET_ADDRSTRLEN], *end;
	const char *colon = strchr(text, ':');
	struct in_addr in;

	if (colon == NULL || (size_t)(colon - text) >= sizeof(dotted) || colon[1] < '0' || colon[1] > '9')
		return false;
	snprintf(dotted, sizeof(dotted), "%.*s", (int)(colon - text), text);
	unsigned long number = strtoul(colon + 1, &end, 10);
	if (inet_pton(AF_INET, dotted, &in) != 1 || *end != '\0' || number == 0 || number > UINT16_MAX)
		return false;
	*address = ntohl(in.s_addr);
	*port = (uint16_t)number;
	return true;
}

/* Makes room for one more element; grows at powers of two. */
static void *grow(void *array, uint32_t count, size_t size)
{
	return (count & (count - 1)) != 0 ? array : realloc(array, (count == 0 ? 1 : (size_t)count * 2) * size);
}

static const struct lb_service *find_service(const struct lb_settings *s, uint32_t address, uint16_t port,
					     uint8_t protocol)
{
	for (uint32_t i = 0; i < s->service_count; i++)
		if (s->services[i].address == address && s->services[i].port == port &&
		    s->services[i].protocol == protocol)
			return &s->services[i];
	return NULL;
}

static bool add_service(struct reader *r, const char *end, const char *protocol)
{
	struct lb_settings *s = r->settings;
	struct lb_service service = {.line = r->line};

	r->skip = true;
	service.protocol = strcmp(protocol, "tcp") == 0 ? IPPROTO_TCP : IPPROTO_UDP;
	if (service.protocol == IPPROTO_UDP && strcmp(protocol, "udp") != 0) {
		MISTAKE(r, "protocol %s: expected tcp or udp", protocol);
		return true;
	}
	if (!parse_end(end, &service.address, &service.port)) {
		MISTAKE(r, "%s: expected an address and a port like 198.51.100.80:443", end);
		return true;
	}
	const struct lb_service *same = find_service(s, service.address, service.port, service.protocol);
	if (same != NULL) {
		MISTAKE(r, "service %s %s is already in line %u", end, protocol, same->line);
		return true;
	}
	if (s->service_count == LB_SERVICES_MAX) {
		MISTAKE(r, "more than %u services", LB_SERVICES_MAX);
		return true;
	}
	struct lb_service *grown = grow(s->services, s->service_count, sizeof(*grown));
	if (grown == NULL)
		return false;
	s->services = grown;
	s->services[s->service_count++] = service;
	r->skip = false;
	return true;
}

static int compare_ends(const void *a, const void *b)
{
	const struct lb_backend *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (int)x->port - (int)y->port;
}

static bool parse_state(const char *text, uint8_t *state)
{
	static const char *const names[] = {"up", "drain", "down"};

	for (uint8_t i = 0; i < 3; i++)
		if (strcmp(text, names[i]) == 0) {
			*state = i;
			return true;
		}
	return false;
}

static bool is_sound(struct reader *r, const struct lb_service *service, const char *end, struct lb_backend *b)
{
	if (!parse_end(end, &b->address, &b->port)) {
		MISTAKE(r, "%s: expected an address and a port like 10.20.0.1:8443", end);
		return false;
	}
	for (uint32_t i = 0; i < service->backend_count; i++)
		if (compare_ends(&service->backends[i], b) == 0) {
			MISTAKE(r, "back end %s is already in this service", end);
			return false;
		}
	uint32_t room = r->settings->maglev_size < LB_BACKENDS_MAX ? r->settings->maglev_size : LB_BACKENDS_MAX;
	if (service->backend_count == room) {
		MISTAKE(r, "more than %u back ends: their limit is [lb] maglev_size, at most %u", room,
			LB_BACKENDS_MAX);
		return false;
	}
	return true;
}

static bool add_backend(struct reader *r, const char *end, const char *weight, const char *state)
{
	struct lb_settings *s = r->settings;
	struct lb_backend b = {0};
	uint32_t number;

	if (s->service_count == 0 && !r->skip)
		MISTAKE(r, "back end %s comes before the first service", end);
	if (s->service_count == 0 || r->skip)
		return true;
	struct lb_service *service = &s->services[s->service_count - 1];
	if (!parse_whole(weight, 1, UINT16_MAX, &number))
		MISTAKE(r, "weight %s: expected 1 to %u", weight, UINT16_MAX);
	else if (!parse_state(state, &b.state))
		MISTAKE(r, "state %s: expected up, drain or down", state);
	else if (is_sound(r, service, end, &b)) {
		struct lb_backend *grown = grow(service->backends, service->backend_count, sizeof(*grown));
		if (grown == NULL)
			return false;
		service->backends = grown;
		b.weight = (uint16_t)number;
		service->backends[service->backend_count++] = b;
	}
	return true;
}

static bool add_line(struct reader *r, const char *text)
{
	char end[32], weight[12], word[8], rest;

	if (sscanf(text, " service %31s %7s %c", end, word, &rest) == 2)
		return add_service(r, end, word);
	if (sscanf(text, " backend %31s %11s %7s %c", end, weight, word, &rest) == 3)
		return add_backend(r, end, weight, word);
	if (sscanf(text, " backend %31s %11s %c", end, weight, &rest) == 2)
		return add_backend(r, end, weight, "up");
	MISTAKE(r, "expected `service <address>:<port> tcp|udp` or `backend <address>:<port> <weight> [drain|down]`");
	return true;
}

static void read_line(void *reader, uint32_t line, char *text)
{
	struct reader *r = reader;

	r->line = line;
	r->no_memory = r->no_memory || !add_line(r, text);
}

/* A back end that is a service itself would make packets loop. */
static void check_loops(struct reader *r)
{
	const struct lb_settings *s = r->settings;

	for (uint32_t i = 0; i < s->service_count; i++)
		for (uint32_t b = 0; b < s->services[i].backend_count; b++) {
			const struct lb_backend *backend = &s->services[i].backends[b];
			const struct lb_service *loop =
				find_service(s, backend->address, backend->port, s->services[i].protocol);
			r->line = s->services[i].line;
			if (loop != NULL)
				MISTAKE(r, "a back end of this service is the service of line %u", loop->line);
		}
}

static void sort_backends(struct lb_settings *s)
{
	for (uint32_t i = 0; i < s->service_count; i++) {
		struct lb_service *service = &s->services[i];
		if (service->backend_count != 0)
			qsort(service->backends, service->backend_count, sizeof(*service->backends), compare_ends);
	}
}

bool lb_services_read(struct config *config, struct lb_settings *s)
{
	char *path = config_path(config, "lb", "services");
	struct reader r = {.config = config, .settings = s, .path = path};

	if (path == NULL) {
		config_mistake(config, "lb", "services", "expected the name of a file of services and back ends");
		return true;
	}
	config_read_lines(config, "lb", "services", path, read_line, &r);
	if (!r.no_memory) {
		sort_backends(s);
		check_loops(&r);
	}
	free(path);
	return !r.no_memory;
}
