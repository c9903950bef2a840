/* SPDX-License-Identifier: BSD-3-Clause */
#include "meter/tx_stats.h"

const char *const tx_direction_names[TX_DIRECTIONS] = {"outbound", "inbound", "other"};
/* Letters, digits and underscores, as telemetry requires of names. */
const char *const tx_stats_sizes[TX_STATS_SIZES] = {"64",	      "65_127",	   "128_255", "256_511",
						  "512_1023", "1024_1518", "1519_up"};
