/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UPF_CONFIG_H
#define UPF_CONFIG_H

#include "config/config.h"

/* Each stage's section. Mistakes go to config. NULL: no memory. */
void *gtp_decap_configure(struct config *config);
void *pdr_configure(struct config *config);
void *qer_configure(struct config *config);
void *urr_configure(struct config *config);
void *far_configure(struct config *config);
void pdr_release(void *settings);

#endif
