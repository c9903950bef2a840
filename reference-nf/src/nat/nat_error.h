/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ICMP errors through the NAT (RFC 5508, REQ-3 to 7).
 */
#ifndef NAT_ERROR_H
#define NAT_ERROR_H

#include "nat/nat_packet.h"
#include "nat/nat_stage.h"

/* Translates the error and the packet inside; neither refreshes nor ends a mapping (REQ-6). */
enum nat_outcome nat_error_translate(const struct nat *nat, uint8_t *frame, const struct packet *p);

#endif
