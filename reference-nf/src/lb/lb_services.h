/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file of services: `service <address>:<port> tcp|udp`, each followed by its
 * `backend <address>:<port> <weight> [drain|down]`; `#` begins a comment.
 */
#ifndef LB_SERVICES_H
#define LB_SERVICES_H

#include "lb/lb_settings.h"

#define LB_SERVICES_MAX 4096u
#define LB_BACKENDS_MAX 65535u /* of a service; a table also needs a slot for each */

/* Reads the file that [lb] services names. Mistakes go to config. false: no memory. */
bool lb_services_read(struct config *config, struct lb_settings *settings);

#endif
