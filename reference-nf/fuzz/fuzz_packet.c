/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Input: a frame, in memory of exactly its size. Checks that all offsets that a reader uses are within it.
 */
#include "check.h"
#include "packet/flow_id.h"

static void check_offsets(const uint8_t *frame, uint32_t bytes, const struct packet *p)
{
	uint32_t end = (uint32_t)p->payload + p->payload_bytes;

	CHECK(p->version == 4 || p->version == 6);
	CHECK(p->l4 >= ETHER_BYTES + (p->version == 4 ? IPV4_MIN_BYTES : IPV6_BYTES));
	CHECK(p->payload >= p->l4 + UDP_BYTES); /* the shortest of the headers; ICMP's has the same length */
	CHECK(end <= bytes);
	switch (p->protocol) {
	case IPPROTO_TCP:
		CHECK_EQUAL(p->payload - p->l4, (frame[p->l4 + 12] >> 4) * 4);
		break;
	case IPPROTO_UDP:
		CHECK_EQUAL(end - p->l4, load_be16(frame + p->l4 + 4));
		break;
	default:
		CHECK(p->protocol == (p->version == 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6));
		CHECK_EQUAL(p->payload_bytes, 0);
	}
}

static void check_packet(const uint8_t *frame, uint32_t bytes)
{
	struct packet p;

	packet_parse(frame, bytes, &p);
	CHECK(p.kind <= PACKET_NOT_IP);
	CHECK(p.version == 0 || p.kind < PACKET_VLAN);
	if (p.kind == PACKET_L4)
		check_offsets(frame, bytes, &p);
	(void)flow_id_spread(frame, &p);
	if (p.kind == PACKET_L4 && p.version == 4)
		CHECK_EQUAL(flow_id_ipv4(frame, &p).words[1] >> 32, p.protocol);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *frame = malloc(size); /* libFuzzer's own copy may be in a larger buffer */

	CHECK(frame != NULL || size == 0);
	if (size != 0)
		memcpy(frame, data, size);
	check_packet(frame, (uint32_t)size);
	free(frame);
	return 0;
}
