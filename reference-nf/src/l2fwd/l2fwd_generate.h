/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stations made from a seed. docs/behaviour.md specifies them, because the executable spec makes the same ones and the
 * traffic sends to them.
 */
#ifndef L2FWD_GENERATE_H
#define L2FWD_GENERATE_H

#include "table/hashing.h"

#define L2FWD_ADDRESS_MASK UINT64_C(0xffffffffffff)
#define L2FWD_GROUP_BIT UINT64_C(1) /* of the first byte */

/* A unicast address that is locally administered. */
static inline uint64_t l2fwd_generated_address(uint64_t seed, uint32_t number)
{
	return ((mix64(mix64(seed) + number) & L2FWD_ADDRESS_MASK) & ~UINT64_C(3)) | 2;
}

#endif
