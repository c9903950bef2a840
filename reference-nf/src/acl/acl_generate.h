/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ACL_GENERATE_H
#define ACL_GENERATE_H

#include "acl/acl_settings.h"
#include "config/config.h"

/* Adds [acl] rules_generated. */
void acl_generate_rules(struct config *config, struct acl_settings *settings);

#endif
