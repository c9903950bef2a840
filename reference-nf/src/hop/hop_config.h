/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads [hop] and its field definition file.
 */
#ifndef HOP_CONFIG_H
#define HOP_CONFIG_H

#include "config/config.h"
#include "hop/hop_settings.h"

/* Mistakes go to config. NULL: no memory. */
struct hop_settings *hop_configure(struct config *config);
void hop_release(struct hop_settings *settings);

/* As [hop] buffers names them. */
const char *hop_buffers_name(enum hop_buffers buffers);

/* [hop] side, for the reader of another section. */
enum hop_side hop_side_of(struct config *config);

#endif
