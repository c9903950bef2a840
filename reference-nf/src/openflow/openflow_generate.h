/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPENFLOW_GENERATE_H
#define OPENFLOW_GENERATE_H

#include "config/config.h"
#include "openflow/openflow_settings.h"

/* Adds [openflow] next_hops_generated: groups with ids from 1. Before the file is read, whose flows may name them. */
void openflow_generate_groups(struct config *config, struct openflow_settings *settings);
/* Adds [openflow] prefixes_generated, behind the file's flow entries. */
void openflow_generate_prefixes(struct config *config, struct openflow_settings *settings);

#endif
