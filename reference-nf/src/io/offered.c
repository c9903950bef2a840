/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/offered.h"

const char *const offered_directions[OFFERED_DIRECTIONS] = {"outbound", "inbound", "other"};
const char *const offered_sizes[OFFERED_SIZES] = {"64",	      "65-127",	   "128-255", "256-511",
						  "512-1023", "1024-1518", "1519-"};
