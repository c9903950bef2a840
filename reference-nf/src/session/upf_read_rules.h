/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UPF_READ_RULES_H
#define UPF_READ_RULES_H

#include "session/upf_store.h"

/* The session's rules as they are in force, by their numbers. false: there is no such session. */
bool upf_store_rules(const struct upf_store *store, uint64_t seid, struct upf_rules *rules);

#endif
