/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <netinet/ip_icmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hashing.h"
#include "io/flows.h"

/* A TCP, UDP or ICMP query endpoint as it stands in the capture. */
struct endpoint {
	uint32_t address;
	uint16_t port;
	uint8_t protocol;
};

struct builder {
	struct flows *flows;
	struct endpoint *endpoints; /* room for one per image */
	struct ipv4_prefix inside;
};

static uint32_t find_endpoint(const struct builder *b, struct endpoint e)
{
	for (uint32_t i = 0; i < b->flows->endpoint_count; i++)
		if (b->endpoints[i].address == e.address && b->endpoints[i].port == e.port &&
		    b->endpoints[i].protocol == e.protocol)
			return i;
	return FLOWS_NO_ENDPOINT;
}

static uint32_t add_endpoint(struct builder *b, struct endpoint e, uint32_t image)
{
	uint32_t i = b->flows->endpoint_count++;
	b->endpoints[i] = e;
	b->flows->first_image[i] = image;
	return i;
}

/* Tells the direction by address; replies belong to the endpoint they are addressed to. */
static void classify(struct builder *b, uint32_t number, const struct packet *p)
{
	struct image *image = &b->flows->images[number];
	const uint8_t *ip = image->data + ETHER_BYTES, *l4 = image->data + p->l4;
	struct in_addr source, destination;
	bool icmp = p->protocol == IPPROTO_ICMP;

	memcpy(&source, ip + 12, 4);
	memcpy(&destination, ip + 16, 4);
	bool out = ipv4_inside(b->inside, ntohl(source.s_addr));
	if (icmp && l4[0] != (out ? ICMP_ECHO : ICMP_ECHOREPLY)) /* queries: what a NAT keeps a mapping for */
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

static void read_images(struct builder *b, const struct capture *capture)
{
	struct packet p;

	for (uint32_t i = 0; i < capture->count; i++) {
		b->flows->images[i] = (struct image){
			.data = capture->frames[i].data,
			.bytes = capture->frames[i].bytes,
			.endpoint = FLOWS_NO_ENDPOINT,
		};
		b->flows->image_count++;
		packet_parse(capture->frames[i].data, capture->frames[i].bytes, &p);
		if (p.kind == PACKET_L4 && p.version == 4) /* others are sent as they are */
			classify(b, i, &p);
	}
}

/* A host of the inside prefix for each number: an odd factor makes it a bijection on the host bits. */
static uint32_t inside_address(struct ipv4_prefix inside, uint32_t number)
{
	return htonl(inside.address | ((number * 0x9e3779b1u) & ~ipv4_mask(inside.length)));
}

/* A unicast address that is not inside. */
static uint32_t server_address(struct ipv4_prefix inside, uint64_t seed, uint32_t number)
{
	for (uint64_t x = mix64(seed ^ mix64(number));; x = mix64(x)) {
		uint32_t address = (11 + (uint32_t)(x >> 32) % (224 - 11)) << 24 | (uint32_t)(x & 0xffffff);
		if (!ipv4_inside(inside, address) && address >> 24 != 127)
			return htonl(address);
	}
}

static void give_addresses(struct flows *f, const struct traffic_settings *s)
{
	for (uint32_t i = 0; i < f->endpoint_count * f->copies; i++)
		f->flow[i] = (struct flow){
			.inside = inside_address(s->inside, i + 1),
			.server = server_address(s->inside, s->seed, i),
		};
}

static bool fits(const struct flows *f, const struct traffic_settings *s)
{
	uint64_t wanted = (uint64_t)f->endpoint_count * f->copies, room = UINT64_C(1) << (32 - s->inside.length);
	if (f->copies == 1 || wanted < room)
		return true;
	fprintf(stderr, "[traffic] copies = %u: %u endpoints need %lu inside addresses, [network] inside has %lu\n",
		f->copies, f->endpoint_count, wanted, room);
	return false;
}

bool flows_create(struct flows *f, const struct traffic_settings *s)
{
	uint32_t n = s->capture.count;
	struct builder b = {.flows = f, .endpoints = calloc(n, sizeof(*b.endpoints)), .inside = s->inside};

	memset(f, 0, sizeof(*f));
	f->copies = s->copies;
	f->images = calloc(n, sizeof(*f->images));
	f->first_image = calloc(n, sizeof(*f->first_image));
	if (b.endpoints != NULL && f->images != NULL && f->first_image != NULL) {
		read_images(&b, &s->capture);
		f->flow = calloc((size_t)f->endpoint_count * f->copies + 1, sizeof(*f->flow));
	}
	free(b.endpoints);
	if (f->flow == NULL) {
		fprintf(stderr, "traffic: no memory for %u frames x %u copies\n", n, s->copies);
		flows_destroy(f);
		return false;
	}
	if (!fits(f, s)) {
		flows_destroy(f);
		return false;
	}
	give_addresses(f, s);
	return true;
}

void flows_destroy(struct flows *f)
{
	free(f->images);
	free(f->first_image);
	free(f->flow);
	memset(f, 0, sizeof(*f));
}
