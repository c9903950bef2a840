/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ICMP errors and the beginning of a packet that they quote: finds and rewrites what a translator must change (RFC
 * 5508, REQ-3 to 5).
 */
#ifndef ICMP_ERROR_H
#define ICMP_ERROR_H

#include <netinet/ip_icmp.h>
#include <stdbool.h>

#include "packet/packet.h"

#define IPV4_SOURCE_AT (ETHER_BYTES + 12u)
#define IPV4_DESTINATION_AT (ETHER_BYTES + 16u)

enum icmp_error_fault {
	ICMP_ERROR_SOUND,
	ICMP_ERROR_MALFORMED,	/* too short, a wrong ICMP checksum, or no valid IPv4 header in it */
	ICMP_ERROR_FRAGMENT,	/* the quoted packet is not the first fragment: it has no ports */
	ICMP_ERROR_UNSUPPORTED, /* a protocol without ports, or ICMP that is no query */
};

/* The quoted packet. */
struct icmp_error {
	uint8_t *ip, *l4;
	uint32_t l4_bytes; /* quoted bytes, at least 8 */
	uint8_t protocol;
	uint8_t source, destination; /* offsets of the ports from l4; for ICMP both of the identifier */
};

enum icmp_error_end { ICMP_ERROR_SOURCE, ICMP_ERROR_DESTINATION };

static inline bool icmp_is_error(uint8_t type)
{
	return type == ICMP_DEST_UNREACH || type == ICMP_TIME_EXCEEDED || type == ICMP_PARAMETERPROB;
}

/* Reads an error; the packet is ICMP over IPv4, of kind PACKET_L4. */
enum icmp_error_fault icmp_error_parse(uint8_t *frame, const struct packet *p, struct icmp_error *error);

uint32_t icmp_error_address(const struct icmp_error *error, enum icmp_error_end end);
uint16_t icmp_error_port(const struct icmp_error *error, enum icmp_error_end end);
/* Type of the quoted ICMP query; only if protocol is ICMP. */
static inline uint8_t icmp_error_query(const struct icmp_error *error)
{
	return error->l4[0];
}

/* Replaces address and port at an end of the quoted packet. Updates its checksums, as far as they are quoted, and that
 * of the ICMP message. Network byte order. */
void icmp_error_rewrite(uint8_t *frame, const struct packet *p, const struct icmp_error *error,
			enum icmp_error_end end, uint32_t address, uint16_t port);

/* Replaces the error's own address, at IPV4_SOURCE_AT or IPV4_DESTINATION_AT; ICMP has no pseudo-header. */
void icmp_error_rewrite_address(uint8_t *frame, uint32_t at, uint32_t address);

#endif
