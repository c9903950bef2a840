/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef L3FWD_GENERATE_H
#define L3FWD_GENERATE_H

#include "l3fwd/l3fwd_settings.h"

#define L3FWD_ROUTES_MAX 2000000u

/* Adds [l3fwd] routes_generated and routes6_generated. */
void l3fwd_generate_routes(struct config *config, struct l3fwd_settings *settings);
/* The prefix of the nth of `routes` generated routes of IPv6, which traffic goes to. */
struct ipv6_prefix l3fwd_generated_prefix6(uint64_t seed, uint32_t routes, uint32_t n);

#endif
