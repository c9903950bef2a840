/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DPI_RULES_H
#define DPI_RULES_H

#include "config/config.h"
#include "dpi/dpi_settings.h"

/* Read the files of rules with and without L3/L4 part. Mistakes go to config. */
void dpi_read_rules(struct config *config, struct dpi_settings *settings);
void dpi_read_patterns(struct config *config, struct dpi_settings *settings);

#endif
