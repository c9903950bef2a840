/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef L2FWD_CONFIG_H
#define L2FWD_CONFIG_H

#include "config/config.h"
#include "l2fwd/l2fwd_settings.h"

/* Reads [l2fwd]. Mistakes go to config. NULL: no memory. */
void *l2fwd_configure(struct config *config);
void l2fwd_release(void *settings);

#endif
