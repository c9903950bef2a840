/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checksums of IPv4 frames, computed in full (RFC 1071): nothing here is shared with the code under test.
 */
#ifndef SUMS_H
#define SUMS_H

#include <stdbool.h>
#include <stdint.h>

/* Writes the right checksums wherever the frame has room for them. */
void sums_repair(uint8_t *frame, uint32_t bytes);
/* No sound IPv4 header: false. */
bool sums_header_right(const uint8_t *frame, uint32_t bytes);
/* False as well for fragments, for what has no checksum known here, and without a sound IPv4 header. */
bool sums_transport_right(const uint8_t *frame, uint32_t bytes);

#endif
