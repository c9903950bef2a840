/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HASHING_H
#define HASHING_H

#include <stdint.h>

/* Finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection that spreads nearby numbers. */
static inline uint64_t mix64(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

#endif
