/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LB_CONFIG_H
#define LB_CONFIG_H

#include "lb/lb_settings.h"

/* Reads [lb]. Mistakes go to config. NULL: no memory. */
void *lb_configure(struct config *config);
void lb_release(void *settings);

#endif
