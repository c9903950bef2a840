/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "stage.h"

const struct stage_ops *const stage_catalogue[] = {&nop_stage, &nat_stage, &dpi_stage, &acl_stage, &lb_stage,
						   &l3fwd_stage, &openflow_stage, &l2fwd_stage, &pbb_stage,
						   &gtp_decap_stage, &pdr_stage, &qer_stage, &urr_stage, &far_stage,
						   NULL};

const struct stage_ops *stage_find(const char *name, size_t length)
{
	for (uint32_t i = 0; stage_catalogue[i] != NULL; i++)
		if (strlen(stage_catalogue[i]->name) == length && strncmp(stage_catalogue[i]->name, name, length) == 0)
			return stage_catalogue[i];
	return NULL;
}
