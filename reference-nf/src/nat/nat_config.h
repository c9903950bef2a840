/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NAT_CONFIG_H
#define NAT_CONFIG_H

#include "nat/nat_settings.h"

/* Reads [nat] and [network] inside. Mistakes go to config. NULL: no memory. */
void *nat_configure(struct config *config);

#endif
