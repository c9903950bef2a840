/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPENFLOW_CONFIG_H
#define OPENFLOW_CONFIG_H

#include "config/config.h"
#include "openflow/openflow_settings.h"

/* [openflow]. Mistakes go to config. NULL: no memory. */
void *openflow_configure(struct config *config);

#endif
