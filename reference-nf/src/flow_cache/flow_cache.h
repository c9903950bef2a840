/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flow cache (Wu et al., III-B3): the first packet of a flow decides its path, later ones follow it. It is the
 * first stage and finds each packet's flow_path, where later stages read and write their notes.
 */
#ifndef FLOW_CACHE_H
#define FLOW_CACHE_H

#include "stage.h"

extern const struct stage_ops flow_cache_stage; /* not in the catalogue: [chain] flow_cache adds it */

#endif
