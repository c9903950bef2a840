/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ICMP errors and the begin of a packet that they carry: what a translator has to find and to rewrite in them
 * (RFC 5508, REQ-3 to 5).
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
	ICMP_ERROR_MALFORMED,	/* too short, a wrong ICMP checksum, or no sound IPv4 header in it */
	ICMP_ERROR_FRAGMENT,	/* not the first: it has no ports */
	ICMP_ERROR_UNSUPPORTED, /* of a protocol without ports, or of ICMP that is no query */
};

/* The packet inside. */
struct icmp_error {
	uint8_t *ip, *l4;
	uint32_t l4_bytes; /* that are there, at least 8 */
	uint8_t protocol;
	uint8_t source, destination; /* offsets of the ports from l4; of ICMP of the identifier, for both */
};

enum icmp_error_end { ICMP_ERROR_SOURCE, ICMP_ERROR_DESTINATION };

static inline bool icmp_is_error(uint8_t type)
{
	return type == ICMP_DEST_UNREACH || type == ICMP_TIME_EXCEEDED || type == ICMP_PARAMETERPROB;
}

/* The packet is ICMP over IPv4, of kind PACKET_L4, and an error. */
enum icmp_error_fault icmp_error_parse(uint8_t *frame, const struct packet *p, struct icmp_error *error);

uint32_t icmp_error_address(const struct icmp_error *error, enum icmp_error_end end);
uint16_t icmp_error_port(const struct icmp_error *error, enum icmp_error_end end);
/* Type of the ICMP query inside; only where protocol is ICMP. */
static inline uint8_t icmp_error_query(const struct icmp_error *error)
{
	return error->l4[0];
}

/* Puts address and port at an end of the packet inside, and mends its checksums, as far as they are there, and that of
 * the ICMP message around it. Network byte order. */
void icmp_error_rewrite(uint8_t *frame, const struct packet *p, const struct icmp_error *error,
			enum icmp_error_end end, uint32_t address, uint16_t port);

/* Replaces the error's own address, at IPV4_SOURCE_AT or IPV4_DESTINATION_AT; ICMP has no pseudo-header. */
void icmp_error_rewrite_address(uint8_t *frame, uint32_t at, uint32_t address);

#endif
