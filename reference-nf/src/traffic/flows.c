/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <netinet/ip_icmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bitops.h>
#include <rte_common.h>

#include "table/hashing.h"
#include "traffic/addresses.h"
#include "traffic/flows.h"

/* A TCP, UDP or ICMP query endpoint as in the capture. */
struct endpoint {
	uint32_t address;
	uint16_t port;
	uint8_t protocol;
};

struct builder {
	struct flows *flows;
	struct endpoint *endpoints; /* room for one per image */
	uint32_t *places;	    /* hash table: index of an endpoint + 1; 0: free */
	uint32_t place_mask;
	struct ipv4_prefix inside;
};

static bool same_endpoint(struct endpoint a, struct endpoint b)
{
	return a.address == b.address && a.port == b.port && a.protocol == b.protocol;
}

/* The endpoint's place in the hash table, or the place for it. */
static uint32_t *find_place(const struct builder *b, struct endpoint e)
{
	uint32_t at = (uint32_t)mix64((uint64_t)e.address << 32 | (uint32_t)e.port << 8 | e.protocol);

	for (;; at++) {
		uint32_t *place = &b->places[at & b->place_mask];
		if (*place == 0 || same_endpoint(b->endpoints[*place - 1], e))
			return place;
	}
}

static uint32_t find_endpoint(const struct builder *b, struct endpoint e)
{
	return *find_place(b, e) - 1; /* FLOWS_NO_ENDPOINT if it is free */
}

static uint32_t add_endpoint(struct builder *b, struct endpoint e, uint32_t image)
{
	uint32_t i = b->flows->endpoint_count++;
	b->endpoints[i] = e;
	b->flows->first_image[i] = image;
	*find_place(b, e) = i + 1;
	return i;
}

/* Determines the direction by address; replies belong to the endpoint that they are addressed to. */
static void classify(struct builder *b, uint32_t number, const struct packet *p)
{
	struct image *image = &b->flows->images[number];
	const uint8_t *ip = image->data + ETHER_BYTES, *l4 = image->data + p->l4;
	struct in_addr source, destination;
	bool icmp = p->protocol == IPPROTO_ICMP;

	memcpy(&source, ip + 12, 4);
	memcpy(&destination, ip + 16, 4);
	bool out = ipv4_inside(b->inside, ntohl(source.s_addr));
	if (icmp && l4[0] != (out ? ICMP_ECHO : ICMP_ECHOREPLY)) /* only queries: a NAT has mappings for these */
		return;
	image->protocol = p->protocol;
	image->l4 = p->l4;
	image->source = icmp ? 4 : 0;
	image->destination = icmp ? 4 : 2;
	if (out) {
		struct endpoint e = {source.s_addr, load16(l4 + image->source), p->protocol};
		image->endpoint = find_endpoint(b, e);
		if (image->endpoint == FLOWS_NO_ENDPOINT)
			image->endpoint = add_endpoint(b, e, number);
		image->direction = IMAGE_OUT;
	} else {
		struct endpoint e = {destination.s_addr, load16(l4 + image->destination), p->protocol};
		image->endpoint = find_endpoint(b, e);
		if (image->endpoint != FLOWS_NO_ENDPOINT)
			image->direction = IMAGE_IN;
	}
}

static void add_image(struct builder *b, const struct capture_frame *frame, const struct packet *p)
{
	uint32_t number = b->flows->image_count++;

	b->flows->images[number] = (struct image){
		.data = frame->data,
		.bytes = frame->bytes,
		.endpoint = FLOWS_NO_ENDPOINT,
	};
	if (p->kind == PACKET_L4 && p->version == 4) /* others are sent unchanged */
		classify(b, number, p);
}

static void read_images(struct builder *b, const struct traffic_settings *s)
{
	const struct profile_part *parts;
	struct flows *f = b->flows;
	struct packet p;

	f->parts = profile_parts(s->profile, &parts);
	for (uint32_t part = 0; part < f->parts; part++) {
		for (uint32_t i = 0; i < s->captures[part].count; i++) {
			const struct capture_frame *frame = &s->captures[part].frames[i];
			packet_parse(frame->data, frame->bytes, &p);
			if (parts[part].wants(frame->data, &p))
				add_image(b, frame, &p);
		}
		f->part_end[part] = f->image_count;
	}
}

static void give_addresses(struct flows *f, const struct traffic_settings *s)
{
	for (uint32_t i = 0; i < f->endpoint_count * f->copies; i++) {
		f->flow[i] = (struct flow){
			.inside = address_of_client(s->clients, i + 1),
			.server = address_of_server(s->inside, s->seed, i),
		};
		if (s->target_count != 0) {
			f->flow[i].server = s->targets[i % s->target_count].address;
			f->flow[i].server_port = s->targets[i % s->target_count].port;
		}
	}
}

static bool fits(const struct flows *f, const struct traffic_settings *s)
{
	uint64_t needed = (uint64_t)f->endpoint_count * f->copies, room = UINT64_C(1) << (32 - s->clients.length);
	if ((f->copies == 1 && s->target_count == 0) || needed < room)
		return true;
	fprintf(stderr, "[traffic] copies = %u: %u endpoints need %lu client addresses, but there are %lu: [network] "
		"inside, or [traffic] clients\n", f->copies, f->endpoint_count, needed, room);
	return false;
}

static uint32_t frames_of(const struct traffic_settings *s)
{
	uint32_t n = 0;
	for (uint32_t part = 0; part < PROFILE_MAX_PARTS; part++)
		n += s->captures[part].count;
	return n;
}

static bool read_captures(struct flows *f, const struct traffic_settings *s, uint32_t n)
{
	uint32_t places = rte_align32pow2(n * 2);
	struct builder b = {
		.flows = f,
		.endpoints = calloc(n, sizeof(*b.endpoints)),
		.places = calloc(places, sizeof(*b.places)),
		.place_mask = places - 1,
		.inside = s->inside,
	};

	f->images = calloc(n, sizeof(*f->images));
	f->first_image = calloc(n, sizeof(*f->first_image));
	if (b.endpoints != NULL && b.places != NULL && f->images != NULL && f->first_image != NULL) {
		read_images(&b, s);
		f->flow = calloc((size_t)f->endpoint_count * f->copies + 1, sizeof(*f->flow));
	}
	free(b.endpoints);
	free(b.places);
	return f->flow != NULL;
}

static bool has_every_part(const struct flows *f, const struct traffic_settings *s)
{
	const struct profile_part *parts;

	profile_parts(s->profile, &parts);
	for (uint32_t part = 0; part < f->parts; part++)
		if (f->part_end[part] == (part == 0 ? 0 : f->part_end[part - 1])) {
			fprintf(stderr, "[traffic] %s has no packet for profile %s\n", parts[part].key,
				profile_names[s->profile]);
			return false;
		}
	return true;
}

bool flows_create(struct flows *f, const struct traffic_settings *s)
{
	uint32_t n = frames_of(s);

	*f = (struct flows){.copies = s->copies};
	if (!read_captures(f, s, n))
		fprintf(stderr, "traffic: no memory for %u frames x %u copies\n", n, s->copies);
	else if (has_every_part(f, s) && fits(f, s)) {
		give_addresses(f, s);
		return true;
	}
	flows_destroy(f);
	return false;
}

void flows_destroy(struct flows *f)
{
	free(f->images);
	free(f->first_image);
	free(f->flow);
	memset(f, 0, sizeof(*f));
}
