/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PFCP_PDR_H
#define PFCP_PDR_H

#include "pfcp/pfcp_request.h"

/* Of a Create PDR or Update PDR element. false: the request's fault says why. */
bool pfcp_create_pdr(struct pfcp_request *request, const struct pfcp_ie *ie);
bool pfcp_update_pdr(struct pfcp_request *request, const struct pfcp_ie *ie);

#endif
