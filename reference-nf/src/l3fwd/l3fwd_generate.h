/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef L3FWD_GENERATE_H
#define L3FWD_GENERATE_H

#include "l3fwd/l3fwd_settings.h"

/* Adds [l3fwd] routes_generated and routes6_generated. */
void l3fwd_generate_routes(struct config *config, struct l3fwd_settings *settings);

#endif
