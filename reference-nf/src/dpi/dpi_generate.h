/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DPI_GENERATE_H
#define DPI_GENERATE_H

#include "dpi/dpi_settings.h"

/* Adds generated rules, the same ones for the same seed. false: no memory. */
bool dpi_generate_rules(struct dpi_settings *settings, uint32_t count, uint64_t seed);
bool dpi_generate_patterns(struct dpi_settings *settings, uint32_t count, uint64_t seed);

#endif
