/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PBB_CONFIG_H
#define PBB_CONFIG_H

#include "config/config.h"
#include "pbb/pbb_settings.h"

/* Reads [pbb]. Mistakes go to config. NULL: no memory. */
void *pbb_configure(struct config *config);
void pbb_release(void *settings);

#endif
