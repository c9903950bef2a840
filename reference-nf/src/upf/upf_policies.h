/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Static policies: rules of the operator that hold for every session which asks for predefined rules, on dpi's L3/L4
 * rules (rte_acl). The first in file order that fits a packet decides. They are written as uplink packets are seen:
 * source is the subscriber; of downlink packets the ends are exchanged.
 */
#ifndef UPF_POLICIES_H
#define UPF_POLICIES_H

#include "stage.h"

struct upf_policies;

extern const char *const upf_fixed_keys[];

/* Hooks of the stage: stage.h. */
void *upf_policies_build(const void *settings, const struct stage_place *place);
void upf_policies_destroy(void *policies);
void upf_policies_inherit(void *policies, const void *old);
void upf_policies_report(const struct rcu_tables *rcu, void *const instances[], uint32_t count, FILE *out);
void upf_policies_reset(const struct rcu_tables *rcu, void *const instances[], uint32_t count);

/* Notes the policy that fits in the marks of packets at[0..n) of the batch, n at most DPI_TUPLES_BULK, whose bit is set in
 * `which`. */
void upf_policies_find(const struct upf_policies *policies, const struct batch *batch, const uint8_t at[], uint32_t n,
		       uint64_t which);
/* Counts a packet that matched a rule by its policy. */
void upf_policies_count(const struct upf_policies *policies, uint32_t instance, uint32_t policy, uint32_t bytes);

#endif
