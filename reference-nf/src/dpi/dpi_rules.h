/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DPI_RULES_H
#define DPI_RULES_H

#include "config/config.h"
#include "dpi/dpi_settings.h"

/* The files of rules with and without L3/L4 part, the first as the key of the section names it; mistakes go to config. */
void dpi_read_rules(struct config *config, const char *section, const char *key, struct dpi_settings *settings);
void dpi_read_patterns(struct config *config, struct dpi_settings *settings);

#endif
