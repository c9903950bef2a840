/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef IPV6_PREFIX_H
#define IPV6_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

#define IPV6_ADDRESS_BYTES 16u
#define IPV6_PREFIX_TEXT 50u /* the longest: 45 characters of address, "/128" and the end */

struct ipv6_prefix {
	uint8_t address[IPV6_ADDRESS_BYTES]; /* as in a packet, bits past length are 0 */
	uint8_t length;			     /* 0..128 */
};

/* Parses "x:x::x/len". false: another form, or bits set past the length. */
bool parse_ipv6_prefix(const char *text, struct ipv6_prefix *prefix);
/* Clears the bits past length. */
void ipv6_prefix_mask(struct ipv6_prefix *prefix);

#endif
