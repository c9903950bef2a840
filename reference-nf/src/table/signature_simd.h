/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two steps of a lookup in vector instructions, each with a fallback without them.
 */
#ifndef SIGNATURE_SIMD_H
#define SIGNATURE_SIMD_H

#include <stdint.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

/* Bit i: slot i of eight, aligned to 32 bytes, holds the signature. */
static inline uint32_t simd_match(const uint32_t slots[8], uint32_t signature)
{
#ifdef __AVX2__
	__m256i line = _mm256_load_si256((const __m256i *)(const void *)slots);
	__m256i equal = _mm256_cmpeq_epi32(line, _mm256_set1_epi32((int)signature));
	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal));
#else
	uint32_t bits = 0;
	for (uint32_t i = 0; i < 8; i++)
		bits |= (uint32_t)(slots[i] == signature) << i;
	return bits;
#endif
}

/* Bit i: byte i of 64, aligned to 32 bytes, is not 0. A stored byte per key, gathered here, costs less than a shift and
 * an OR per key. */
static inline uint64_t simd_nonzero(const uint8_t bytes[64])
{
#ifdef __AVX2__
	__m256i low = _mm256_load_si256((const __m256i *)(const void *)bytes);
	__m256i high = _mm256_load_si256((const __m256i *)(const void *)(bytes + 32));
	uint32_t low_zeros = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, _mm256_setzero_si256()));
	uint32_t high_zeros = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, _mm256_setzero_si256()));
	return ~((uint64_t)high_zeros << 32 | low_zeros);
#else
	uint64_t bits = 0;
	for (uint32_t i = 0; i < 64; i++)
		bits |= (uint64_t)(bytes[i] != 0) << i;
	return bits;
#endif
}

#endif
