/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/offered.h"

const char *const offered_directions[OFFERED_DIRECTIONS] = {"outbound", "inbound", "other"};
/* Letters, digits and underscores: what telemetry takes for a name. */
const char *const offered_sizes[OFFERED_SIZES] = {"64",	      "65_127",	   "128_255", "256_511",
						  "512_1023", "1024_1518", "1519_up"};
