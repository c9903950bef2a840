/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values of fields and actions as a line has them.
 */
#ifndef OPENFLOW_VALUE_H
#define OPENFLOW_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#define OPENFLOW_MAC_BITS ((UINT64_C(1) << 48) - 1)

enum openflow_form { FORM_NUMBER, FORM_MASKED, FORM_MAC, FORM_IPV4, FORM_IPV6 };

/* A value of the form; mask NULL: it takes none. text is changed. */
bool openflow_parse_value(enum openflow_form form, char *text, uint64_t min, uint64_t max, uint64_t *value, uint64_t *mask);
/* Both halves of an address of IPv6 and of its mask. */
bool openflow_parse_ipv6(const char *text, uint64_t values[2], uint64_t masks[2]);

#endif
