/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DPI_CONFIG_H
#define DPI_CONFIG_H

#include "config/config.h"
#include "dpi/dpi_settings.h"

/* Reads [dpi]. Mistakes go to config. NULL: no memory. */
void *dpi_configure(struct config *config);

#endif
