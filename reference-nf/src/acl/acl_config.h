/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ACL_CONFIG_H
#define ACL_CONFIG_H

#include "acl/acl_settings.h"
#include "config/config.h"

/* Reads [acl]. Mistakes go to config. NULL: no memory. */
void *acl_configure(struct config *config);

#endif
