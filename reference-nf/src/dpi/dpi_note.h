/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A flow's verdict as the flow cache keeps it. It is valid while the tables that gave it are in use. Bits of the word:
 * generation of the tables, 24; rule, 20; inspected, 16; action, 2.
 */
#ifndef DPI_NOTE_H
#define DPI_NOTE_H

#include "dpi/dpi_settings.h"

/* Begins with 1, so that a word of 0 is no verdict. */
static inline uint64_t dpi_note_tables(uint64_t generation)
{
	return generation % ((1u << 24) - 1) + 1;
}

struct dpi_note {
	uint32_t inspected; /* packets with payload, up to DPI_INSPECT_MAX */
	uint32_t rule;	    /* first in file order of those that matched; DPI_NO_RULE */
	uint32_t action;    /* worst of those that matched */
};

static inline struct dpi_note dpi_note_read(uint64_t word, uint64_t generation)
{
	if (word >> 40 != dpi_note_tables(generation))
		return (struct dpi_note){0, DPI_NO_RULE, DPI_NONE};
	return (struct dpi_note){
		.rule = (uint32_t)(word >> 20) & DPI_NO_RULE,
		.inspected = (uint32_t)(word >> 4) & DPI_INSPECT_MAX,
		.action = (uint32_t)word & 3,
	};
}

static inline uint64_t dpi_note_word(struct dpi_note note, uint64_t generation)
{
	return dpi_note_tables(generation) << 40 | (uint64_t)note.rule << 20 | (uint64_t)note.inspected << 4 |
	       note.action;
}

#endif
