/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flow cache (Wu et al., III-B3): the first packet of a flow decides its path, later ones follow it. As a stage it
 * stands before all others and finds each packet's flow_path; the stages behind read and write their notes there.
 */
#ifndef FLOW_CACHE_H
#define FLOW_CACHE_H

#include "stage.h"

extern const struct stage_ops flow_cache_stage; /* not in the catalogue: [chain] flow_cache puts it in place */

#endif
