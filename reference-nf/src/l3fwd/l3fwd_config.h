/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef L3FWD_CONFIG_H
#define L3FWD_CONFIG_H

#include "l3fwd/l3fwd_settings.h"

/* Reads [l3fwd]. Mistakes go to config. NULL: no memory. */
void *l3fwd_configure(struct config *config);

#endif
