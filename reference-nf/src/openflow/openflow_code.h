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

struct batch;
struct openflow_code;
struct openflow_row;
struct openflow_tables;

/* Gives each packet of the batch its outcome. */
typedef void openflow_run(struct batch *batch, struct openflow_row *row, uint64_t now_ns);

/* Sets code and run of tables that are otherwise complete. false: said on stderr. */
bool openflow_code_make(struct openflow_tables *tables);
/* NULL is nothing. */
void openflow_code_destroy(struct openflow_code *code);

#ifdef __cplusplus
}
#endif

#endif
