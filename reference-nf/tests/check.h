/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The test harness: a failed check prints its place and values, and the program exits with 1.
 */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                       \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

#define CHECK_EQUAL(is, expected)                                                                                      \
	do {                                                                                                           \
		uint64_t is_ = (uint64_t)(is), expected_ = (uint64_t)(expected);                                       \
		if (is_ != expected_) {                                                                                \
			fprintf(stderr, "%s:%d: %s is %" PRIu64 ", expected %" PRIu64 "\n", __FILE__, __LINE__, #is,   \
				is_, expected_);                                                                       \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

#define RUN(test)                                                                                                      \
	do {                                                                                                           \
		fprintf(stderr, "%s\n", #test);                                                                        \
		test();                                                                                                \
	} while (0)

#endif
