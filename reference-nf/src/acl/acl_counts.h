/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packets that each rule decided: sums them, carries them over to new tables, reports them.
 */
#ifndef ACL_COUNTS_H
#define ACL_COUNTS_H

#include "acl/acl_table.h"

void acl_inherit(void *tables, const void *old);
void acl_reset(const struct rcu_tables *rcu, void *const instances[], uint32_t count);
void acl_report(const struct rcu_tables *rcu, void *const instances[], uint32_t count, FILE *out);

#endif
