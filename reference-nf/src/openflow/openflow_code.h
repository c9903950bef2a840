/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Machine code made of the tables as they are: docs/decisions/0019.
 */
#ifndef OPENFLOW_CODE_H
#define OPENFLOW_CODE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct openflow_code;
struct openflow_table;
struct openflow_tables;

/* Sets code and run of tables that are otherwise complete. false: said on stderr. */
bool openflow_code_make(struct openflow_tables *tables);

/* Where single entries change, each table's code is apart and found through rows. All but openflow_code_takes() may follow
 * each other while packets pass. */

/* Makes the code of one table again, not in use yet. false: said on stderr, and nothing changed. */
bool openflow_code_remake(struct openflow_tables *tables, uint32_t number, const struct openflow_table *as);
/* Whether the code of a table can execute what a number of it now leads to, from a row that no packet uses yet. */
bool openflow_code_takes(struct openflow_tables *tables, uint32_t number, uint32_t entry);
/* From here on packets come to what was made. */
void openflow_code_use(struct openflow_tables *tables);
/* Frees what was replaced, which no reader has any more, and what was made and is not in use. */
void openflow_code_tidy(struct openflow_tables *tables);

/* NULL is nothing. */
void openflow_code_destroy(struct openflow_code *code);

#ifdef __cplusplus
}
#endif

#endif
