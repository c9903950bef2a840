/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One real stage with real tables and packet buffers, on EAL without huge pages.
 */
#ifndef STAGE_FIXTURE_H
#define STAGE_FIXTURE_H

#include "frames.h"
#include "stage.h"

void fixture_eal(const char *program);
/* Writes text to a file of its own and loads it. The file stays until the program ends. */
struct config *fixture_config(const char *text);
/* Writes a file next to the configurations; returns its path, valid until the program ends. */
const char *fixture_file(const char *text);

struct fixture {
	const struct stage_ops *ops;
	void *settings;
	struct rcu_tables rcu;
	void *state; /* the one instance */
	struct batch batch;
};

/* Stages that are opened later are told that so many instances divide the flows. */
void fixture_divide(uint32_t flows);
/* Opens the stage, configured by the text of an INI file, which must have no mistake. */
void fixture_open(struct fixture *fixture, const struct stage_ops *ops, const char *config_text);
/* Likewise by a file that is there. */
void fixture_open_file(struct fixture *fixture, const struct stage_ops *ops, const char *config_path);
void fixture_close(struct fixture *fixture);

/* Runs frames as one batch; checks that the outcomes add up and that no packet buffer is lost. Writes the packets that
 * go on back to frames[0..returned). */
uint32_t fixture_run(struct fixture *fixture, struct frame *frames, uint32_t count, uint64_t now_ns);
/* Likewise through several stages, one after another; outcomes by name in what each fixture's batch holds. */
uint32_t fixture_run_stages(struct fixture *const stages[], uint32_t stage_count, struct frame *frames, uint32_t count,
			    uint64_t now_ns);
/* Calls it, if there is one, before stage number `before` in each of these runs. */
void fixture_call_before(uint32_t before, void (*call)(void));
/* Packets of its last batch that ended in the outcome. */
uint32_t fixture_outcome(const struct fixture *fixture, const char *outcome);
/* Runs one frame and replaces it by the result; returns its outcome's name. */
const char *fixture_run_one(struct fixture *fixture, struct frame *frame, uint64_t now_ns);

#endif
