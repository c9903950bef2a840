/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Token buckets in whole numbers. A token is so small a part of a packet or a bit that a rate is tokens per ns: of a
 * rate in kbit/s 1e-6 bit, of packets/s 1e-9 packet. Who writes a bucket, and what time it is for it, is its owner's.
 */
#ifndef TOKEN_BUCKET_H
#define TOKEN_BUCKET_H

#include <stdint.h>

#define TOKENS_OF_PACKET UINT64_C(1000000000)
#define TOKENS_OF_KBIT UINT64_C(1000000000)
#define TOKENS_OF_BYTE UINT64_C(8000000)

/* The tokens of a bucket with room for `full`, ns later. */
static inline uint64_t token_bucket_filled(uint64_t tokens, uint64_t full, uint64_t rate, uint64_t ns)
{
	unsigned __int128 filled = (unsigned __int128)rate * ns + tokens;

	return filled < full ? (uint64_t)filled : full;
}

#endif
