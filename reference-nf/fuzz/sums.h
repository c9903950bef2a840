/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checksums of IPv4 frames, computed in full (RFC 1071), without code of the program under test.
 */
#ifndef SUMS_H
#define SUMS_H

#include <stdbool.h>
#include <stdint.h>

/* Writes right checksums where the frame has room for them. */
void sums_repair(uint8_t *frame, uint32_t bytes);
/* false also without a valid IPv4 header. */
bool sums_header_right(const uint8_t *frame, uint32_t bytes);
/* false also for fragments, for other protocols than UDP, TCP and ICMP, without a valid IPv4 header. */
bool sums_transport_right(const uint8_t *frame, uint32_t bytes);

#endif
