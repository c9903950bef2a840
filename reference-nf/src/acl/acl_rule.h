/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ACL_RULE_H
#define ACL_RULE_H

#include "acl/acl_settings.h"

/* Reads a line of the rules file. NULL if it is a rule, else what is wrong with it. */
const char *acl_parse_rule(char *text, struct acl_rule *rule);

#endif
