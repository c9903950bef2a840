/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All tables of a configuration, with what instances count, and with their code unless they are interpreted.
 */
#ifndef OPENFLOW_TABLES_H
#define OPENFLOW_TABLES_H

struct openflow_settings;
struct openflow_tables;
struct stage_place;

/* NULL: said on stderr. */
struct openflow_tables *openflow_tables_create(const struct openflow_settings *settings, const struct stage_place *place);
void openflow_tables_destroy(struct openflow_tables *tables);

#endif
