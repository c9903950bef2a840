/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lcores begin together, or none does.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "check.h"
#include "model/runner.h"

#define LCORES 2u
#define PATIENCE_S 30u

static char path[] = "/tmp/nalm-runner-test-XXXXXX";
static atomic_int room; /* blocks that the disk has room for */

/* In place of the C library's: a disk that is full. */
int posix_fallocate(int file, off_t at, off_t bytes)
{
	(void)file, (void)at, (void)bytes;
	return atomic_fetch_sub(&room, 1) > 0 ? 0 : ENOSPC;
}

static void start_eal(const char *program)
{
	cpu_set_t cpus;
	char lcores[64];
	int cpu = 0;

	CHECK_EQUAL(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	while (!CPU_ISSET(cpu, &cpus))
		cpu++;
	snprintf(lcores, sizeof(lcores), "--lcores=0@%d,1@%d", cpu, cpu);
	char *argv[] = {(char *)(uintptr_t)program, "--no-huge", "-m", "64", "--no-shconf", "--no-pci", lcores, "--no-telemetry", NULL};
	CHECK(rte_eal_init(8, argv) >= 0);
	CHECK_EQUAL(rte_lcore_count(), LCORES);
}

static atomic_uint steps;

static uint32_t step(struct role *role, struct nalm_lcore *lcore)
{
	(void)role, (void)lcore;
	steps++;
	return 0;
}

/* Runs a role on each lcore. in_turn: they end one after the other; else each waits for the other one. */
static bool run(int blocks, bool in_turn)
{
	static const struct nalm_stage_spec stages[] = {{.name = "none"}, {.name = NULL}};
	static struct role roles[LCORES];
	static struct plan plan;
	static struct nalm_probe probe;
	struct stop_flag stop = {0};
	struct rte_rcu_qsbr *readers = rte_zmalloc(NULL, rte_rcu_qsbr_get_memsize(LCORES), RTE_CACHE_LINE_SIZE);

	CHECK(readers != NULL && rte_rcu_qsbr_init(readers, LCORES) == 0);
	room = blocks + 1; /* the header's */
	steps = 0;
	CHECK_EQUAL(nalm_probe_open(&probe, "test", stages, 1, path), 0);
	for (uint32_t i = 0; i < LCORES; i++) {
		roles[i] = (struct role){.step = step};
		plan.roles[i] = &roles[i];
	}
	plan.role_count = LCORES;
	role_comes_after(&roles[1], &roles[0]);
	if (!in_turn)
		role_comes_after(&roles[0], &roles[1]);
	struct runner runner = {.plan = &plan, .probe = &probe, .stop = &stop, .readers = readers};
	alarm(PATIENCE_S); /* ends a test that hangs */
	bool ok = runner_run(&runner);
	alarm(0);
	nalm_probe_close(&probe);
	rte_free(readers);
	return ok;
}

static void roles_end_one_after_the_other(void)
{
	CHECK(run(LCORES, true));
	CHECK(steps >= LCORES);
}

static void a_full_disk_ends_the_run_before_it_begins(void)
{
	for (int blocks = 0; blocks < (int)LCORES; blocks++) {
		CHECK(!run(blocks, false));
		CHECK_EQUAL(steps, 0);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	int fd = mkstemp(path);
	CHECK(fd >= 0);
	close(fd);
	start_eal(argv[0]);
	RUN(roles_end_one_after_the_other);
	RUN(a_full_disk_ends_the_run_before_it_begins);
	remove(path);
	return 0;
}
