/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Frames for tests, with checksums computed in full, without code of the program under test.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct frame {
	uint8_t data[1600];
	uint32_t bytes;
};

#define IP(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* protocol 6, 17 or 1 (echo request; ports[0] is the identifier). Addresses and ports in host byte order. */
struct frame make_frame(uint8_t protocol, uint32_t source, uint16_t source_port, uint32_t destination,
			uint16_t destination_port, const char *payload, uint32_t payload_bytes);
void set_icmp_type(struct frame *frame, uint8_t type);
void set_ttl(struct frame *frame, uint8_t ttl);
/* Writes right checksums. */
void fix_checksums(struct frame *frame);
bool checksums_right(const uint8_t *data, uint32_t bytes);

uint32_t get32(const uint8_t *at);
uint16_t get16(const uint8_t *at);
void put32(uint8_t *at, uint32_t value);
void put16(uint8_t *at, uint16_t value);

/* Offsets in frames without IP options. */
enum { AT_TYPE = 12, AT_IP = 14, AT_TOS = 15, AT_FRAGMENT = 20, AT_TTL = 22, AT_SOURCE = 26, AT_DESTINATION = 30, AT_L4 = 34 };

#endif
